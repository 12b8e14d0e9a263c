package io.inferscope.scope;

/** What the code inside a scope does. The order is that of docs/spool-format.md and must not change. */
public enum Activity {
    /** The program did not name a kind of work. */
    UNSPECIFIED,
    /** Text to tokens. */
    TOKENIZATION,
    /** Inputs made ready: decoding images, resizing, padding. */
    PREPROCESSING,
    /** Results made ready: detokenisation, JSON. */
    SERIALIZATION,
    /** The model: forward, generate. */
    MODEL,
    /** A copy between host and device. */
    COPY,
    /** A call that waits for the device. */
    SYNCHRONISATION,
    /** Waiting for a data loader. */
    DATA_LOADING,
    /** Loading a model or a library, compiling. */
    LOAD
}
