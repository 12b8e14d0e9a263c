package io.inferscope.timeline;

/**
 * The means of a hand-over from one thread to another. The order is that of docs/spool-format.md and must not change.
 */
public enum HandOver {
    /** A queue. */
    QUEUE,
    /** A pipe. */
    PIPE,
    /** A socket. */
    SOCKET,
    /** The result of a future. */
    FUTURE,
    /** An event or a condition. */
    EVENT,
    /** A lock. */
    LOCK,
    /** The start of a thread or a process. */
    START;

    /** The name of the giver's row at which autograd has computed the gradients for its waiting caller. */
    public static final String GIVES_GRADIENTS = "gives gradients";

    /** The name of a taker's row in which it polled memory that it shares with the giver, mostly on a CPU. */
    public static final String POLLED = "takes socket shared memory";

    private static final HandOver[] VALUES = values();

    /** Returns the means with a wire value of docs/spool-format.md; {@link #EVENT} for an unknown one. */
    public static HandOver of(long wireValue) {
        return wireValue >= 0 && wireValue < VALUES.length ? VALUES[(int) wireValue] : EVENT;
    }
}
