package io.inferscope.timeline;

import org.jspecify.annotations.Nullable;

public enum TrackKind {
    /** A process; the parent of its threads. */
    PROCESS,
    /** A thread, identified by its kernel thread id if the source has one. */
    THREAD,
    /** A device; the parent of its streams. */
    DEVICE,
    /** A stream of a device, one per context. */
    STREAM,
    /** A series of counter samples. */
    COUNTER,
    /**
     * A lane of requests that a process answered, or of asynchronous ranges without a thread. Rows on a lane do not
     * overlap.
     */
    REQUEST,
    /**
     * Launch calls that a thread captured into graphs in an earlier recording. It shows what replays consist of and is
     * not part of the explained time.
     */
    CAPTURE;

    /** Returns whether a track of this kind may have a parent of another kind; null for no parent. */
    public boolean mayBelongTo(@Nullable TrackKind parent) {
        return switch (this) {
            case PROCESS, DEVICE -> parent == null;
            case THREAD, REQUEST, CAPTURE -> parent == PROCESS;
            case STREAM -> parent == DEVICE;
            case COUNTER -> parent == null || parent == PROCESS || parent == DEVICE;
        };
    }
}
