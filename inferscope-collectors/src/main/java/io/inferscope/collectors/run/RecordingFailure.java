package io.inferscope.collectors.run;

/** A recording that did not begin. The message is one line for the user. */
public abstract sealed class RecordingFailure extends Exception permits AttachFailure, CommandFailure {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    RecordingFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Returns the exit code of InferScope. */
    public int exitCode() {
        return exitCode;
    }
}
