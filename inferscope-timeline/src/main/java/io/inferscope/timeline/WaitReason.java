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

    private static final WaitReason[] VALUES = values();

    /** Returns the reason of the blocked time of a thread's state. */
    public static WaitReason of(Timeline timeline, int state) {
        return of(timeline.attribute(state, Attribute.WAIT_REASON));
    }

    /** Returns the reason with a wire value of docs/spool-format.md; {@link #UNKNOWN} for an unknown one. */
    public static WaitReason of(long wireValue) {
        return wireValue >= 0 && wireValue < VALUES.length ? VALUES[(int) wireValue] : UNKNOWN;
    }
}
