package io.inferscope.timeline;

import org.jspecify.annotations.Nullable;

/** What a track stands for. */
public enum TrackKind {
    /** A process; the parent of its threads. */
    PROCESS,
    /** A thread, known by its kernel thread id where the source gives one. */
    THREAD,
    /** A device; the parent of its streams. */
    DEVICE,
    /** A stream of a device, one per context. */
    STREAM,
    /** A series of counter samples. */
    COUNTER,
    /** A lane of requests that a process answered, or of asynchronous ranges of no thread; no two of them at one time. */
    REQUEST;

    /** Returns whether a track of this kind may belong to one of another, null for none. */
    public boolean mayBelongTo(@Nullable TrackKind parent) {
        return switch (this) {
            case PROCESS, DEVICE -> parent == null;
            case THREAD, REQUEST -> parent == PROCESS;
            case STREAM -> parent == DEVICE;
            case COUNTER -> parent == null || parent == PROCESS || parent == DEVICE;
        };
    }
}
