package io.inferscope.timeline;

/** Why a thread was neither on a CPU nor runnable. The order is that of docs/spool-format.md and must not change. */
public enum WaitReason {
    /** Not known. */
    UNKNOWN,
    /** A futex: lock, condition, queue or the GIL; the waker is not known. */
    FUTEX,
    /** File I/O. */
    FILE_IO,
    /** A socket, or polling descriptors. */
    SOCKET,
    /** A timer or sleep. */
    TIMER,
    /** A child process. */
    CHILD_PROCESS,
    /** A device driver. */
    DRIVER,
    /** A pipe; the writer is not known. */
    PIPE,
    /** A page fault. */
    PAGE_FAULT,
    /** A lock that another thread holds. */
    LOCK,
    /** The interpreter's global lock. */
    GIL;

    /**
     * Detail of a wait that nothing but another thread of the same process ends: neither a timeout nor another process.
     */
    public static final String ENDED_BY_OWN_PROCESS = "futex, untimed, private";

    /** Detail of a wait for several sockets, such as an event loop's, like most of which the timeout ended. */
    public static final String ENDED_BY_TIMEOUT = "poll, ends by its timeout";

    /** Detail of a server's wait for a client to connect. It waits for no connection: nobody waits for an answer. */
    public static final String FOR_CONNECTION = "accepts";

    /** Detail of a server's wait for clients to connect, or to send on connections that they opened. */
    public static final String FOR_REQUEST = "accepts, or reads of a client";

    /** Detail of a wait for an unknown reason: a signal or a debugger stopped the thread, until it may go on. */
    public static final String STOPPED = "stopped";

    private static final WaitReason[] VALUES = values();

    /** Returns the reason with a wire value of docs/spool-format.md; {@link #UNKNOWN} for an unknown one. */
    public static WaitReason of(long wireValue) {
        return wireValue >= 0 && wireValue < VALUES.length ? VALUES[(int) wireValue] : UNKNOWN;
    }
}
