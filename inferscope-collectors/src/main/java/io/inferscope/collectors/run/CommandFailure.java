package io.inferscope.collectors.run;

/** A command that did not start. The message is one line for the user. */
public final class CommandFailure extends RecordingFailure {
    private static final long serialVersionUID = 1L;

    /** InferScope failed before the command started. */
    public static final int INFERSCOPE_FAILED = 125;

    /** The command was found but cannot be executed (POSIX 2.8.2). */
    public static final int NOT_EXECUTABLE = 126;

    /** The command was not found (POSIX 2.8.2). */
    public static final int NOT_FOUND = 127;

    CommandFailure(int exitCode, String message) {
        super(exitCode, message);
    }
}
