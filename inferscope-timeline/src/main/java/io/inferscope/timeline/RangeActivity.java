package io.inferscope.timeline;

/**
 * What the code inside a range does, as stated by its recorder. The order is that of docs/spool-format.md and must not
 * change.
 */
public enum RangeActivity {
    /** Not known: analyses classify by name. */
    UNSPECIFIED,
    /** Text to tokens. */
    TOKENIZATION,
    /** Inputs made ready: decoding images, resizing, padding. */
    PREPROCESSING,
    /** Results made ready: detokenisation, JSON. */
    SERIALIZATION,
    /** The model: forward, generate. */
    MODEL,
    /** A copy between host and device that the framework's user requested. */
    COPY,
    /** A call that waits for the device. */
    SYNCHRONISATION,
    /** Waiting for a data loader. */
    DATA_LOADING,
    /** Loading a model or a library, compiling. */
    LOAD,
    /** The interpreter running the program. */
    INTERPRETER,
    /** Garbage collection. */
    GARBAGE_COLLECTION,
    /** The recorder's own work. */
    PROFILER,
    /** Waiting for a timer. */
    TIMER,
    /** Waiting in an event loop for a socket, at the line that awaits it. */
    AWAIT;

    /** The name of the range from the end of an interpreter's program to that of its process. */
    public static final String SHUTDOWN = "interpreter shutdown";

    private static final RangeActivity[] VALUES = values();

    /** Returns the activity with a wire value of docs/spool-format.md; {@link #UNSPECIFIED} for an unknown one. */
    public static RangeActivity of(long wireValue) {
        return wireValue >= 0 && wireValue < VALUES.length ? VALUES[(int) wireValue] : UNSPECIFIED;
    }
}
