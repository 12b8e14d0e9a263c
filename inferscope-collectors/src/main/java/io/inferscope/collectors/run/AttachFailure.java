package io.inferscope.collectors.run;

/** A process that cannot be observed. The message is one line for the user and names the remedy. */
public final class AttachFailure extends RecordingFailure {
    private static final long serialVersionUID = 1L;

    /** There is no such process to read. */
    public static final int NO_INPUT = 3;

    /** The environment does not let InferScope observe it. */
    public static final int NOT_ALLOWED = 4;

    AttachFailure(int exitCode, String message) {
        super(exitCode, message);
    }
}
