package io.inferscope.timeline;

/** What a recorder knows about the end of a blocked state besides its {@link WaitReason}; of others the detail names a call. */
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
    STOPPED("stopped");

    /** The calls that wait for a futex begin so. */
    private static final String FUTEX = "futex";

    private final String text;

    WaitDetail(String text) {
        this.text = text;
    }

    /** Returns what is recorded as the state's {@link Attribute#DETAIL}. */
    public String text() {
        return text;
    }

    /** Returns whether it is what is recorded of a state. */
    public boolean isOf(Timeline timeline, int state) {
        return timeline.attributeText(state, Attribute.DETAIL).equals(text);
    }

    /** Returns whether a state waits in a call for a futex, whatever ends it. */
    public static boolean callsFutex(Timeline timeline, int state) {
        return timeline.attributeText(state, Attribute.DETAIL).startsWith(FUTEX);
    }
}
