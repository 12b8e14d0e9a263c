package io.inferscope.batch;

/** Tracing cannot begin: the message says what the environment lacks, in one line. */
public final class TraceException extends Exception {
    private static final long serialVersionUID = 1L;

    TraceException(String message) {
        super(message);
    }
}
