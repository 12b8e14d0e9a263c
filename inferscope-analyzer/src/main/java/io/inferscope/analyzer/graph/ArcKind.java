package io.inferscope.analyzer.graph;

/** Why one instant of a {@link DependencyGraph} is not before another. */
public enum ArcKind {
    /** A thread goes on: what it did in between takes its time. */
    PROGRAM,
    /** A device operation takes its time. */
    OPERATION,
    /** A stream runs its operations one after the other. */
    STREAM,
    /** A call submits a device operation. */
    LAUNCH,
    /** An event recorded on one stream is waited for on another, or must have been: nothing else explains the start. */
    EVENT,
    /** A call returns when the device has done something. */
    SYNCHRONISATION,
    /** A queue, pipe, socket, future or event hands something over, or a thread starts another. */
    HAND_OVER,
    /** A lock is given up. */
    LOCK,
    /** The interpreter's global lock is given up. */
    GIL,
    /** Nothing recorded comes before: a stream's first operation without a launch. */
    BEGIN,
    /** The last of what is waited for is the end of the window. */
    END;

    /** Returns whether both ends lie on one thread, or are the ends of one operation: such arcs alone never form a circle. */
    boolean isOwn() {
        return this == PROGRAM || this == OPERATION;
    }
}
