package io.inferscope.timeline;

/** What a recorder knows about the end of a blocked state besides its {@link WaitReason}. The order must not change. */
public enum WaitDetail {
    /** Nothing but another thread of the same process ends it: neither a timeout nor another process. */
    ENDED_BY_OWN_PROCESS("futex, untimed, private"),
    /** A wait for several sockets, such as an event loop's, like most of which the timeout ended. */
    ENDED_BY_TIMEOUT("poll, ends by its timeout"),
    /** A server's wait for a client to connect. It waits for no connection: nobody waits for an answer. */
    FOR_CONNECTION("accepts"),
    /** A server's wait for clients to connect, or to send on connections that they opened. */
    FOR_REQUEST("accepts, or reads of a client"),
    /** A wait of an event loop for descriptors that only its own process writes to, or for its next timer. */
    OF_LOOP("polls, no connection"),
    /** A signal or a debugger stopped the thread, until it may go on; the reason is unknown. */
    STOPPED("stopped"),
    /** A wait in a call for a futex, whatever ends it. */
    IN_FUTEX("futex");

    private static final WaitDetail[] VALUES = values();

    private final String text;

    WaitDetail(String text) {
        this.text = text;
    }

    /** Returns the word for it in a spool, where the name of a call stands for a wait of which nothing else is known. */
    public String text() {
        return text;
    }

    /** Stores what a spool's word, or the name of a call, says of a state. */
    public static void store(TimelineBuilder builder, int state, String word) {
        for (WaitDetail detail : VALUES) {
            if (detail == IN_FUTEX ? word.startsWith(detail.text) : word.equals(detail.text)) {
                builder.attribute(state, Attribute.WAIT_DETAIL, detail.ordinal());
                return;
            }
        }
    }

    /** Returns whether it is what is recorded of a state. */
    public boolean isOf(Timeline timeline, int state) {
        return timeline.attribute(state, Attribute.WAIT_DETAIL) == ordinal();
    }

    /** Returns whether a state waits in a call for a futex, whatever ends it. */
    public static boolean callsFutex(Timeline timeline, int state) {
        return IN_FUTEX.isOf(timeline, state) || ENDED_BY_OWN_PROCESS.isOf(timeline, state);
    }
}
