package io.inferscope.analyzer.graph;

/** Why one instant of a {@link DependencyGraph} cannot come before another. */
public enum ArcKind {
    /** A thread continues: its work takes time. */
    PROGRAM,
    /** A device operation takes its time. */
    OPERATION,
    /** A stream runs its operations one after the other. */
    STREAM,
    /** A call submits a device operation. */
    LAUNCH,
    /**
     * A stream waits for an event of another stream; the wait is recorded, or assumed because nothing else explains the
     * start.
     */
    EVENT,
    /** A call returns when the device has done something. */
    SYNCHRONISATION,
    /** A queue, pipe, socket, future or event hands something over, or a thread starts another. */
    HAND_OVER,
    /** A lock is released. */
    LOCK,
    /** The interpreter's global lock is released. */
    GIL,
    /** The instant depends on the start of the window only, like a stream's first operation without a launch. */
    BEGIN,
    /** The end of the window depends on the last instants of tracks. */
    END;

    /**
     * Returns whether both ends lie on one thread, or are the ends of one operation: such arcs alone never form a
     * circle.
     */
    boolean isOwn() {
        return this == PROGRAM || this == OPERATION;
    }
}
