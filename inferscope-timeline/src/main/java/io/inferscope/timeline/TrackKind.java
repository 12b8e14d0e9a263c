package io.inferscope.timeline;

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
    COUNTER
}
