package io.inferscope.batch;

import java.util.Locale;

/** The class of a run's outcome. {@code outcome.py} lists the worker's exit codes. */
public enum ExitClass {
    /** The tracer finished, and its declared outputs are there and can be read. */
    OK,
    /** The process or its descendants needed more memory than allowed or available. */
    OUT_OF_MEMORY,
    /** The process took longer than its time limit. */
    TIMEOUT,
    /** A signal ended the process. */
    CRASH,
    /** The model, the device or the installed packages do not allow this trace. */
    UNSUPPORTED,
    /** The model's files are not complete, or running it raised an error. */
    MODEL_ERROR,
    /** The tracer reported success, but a declared output is missing or cannot be read. */
    INCOMPLETE,
    /** Its results could not be written. */
    CANNOT_WRITE;

    private static final int EXIT_UNSUPPORTED = 3;
    private static final int EXIT_CANNOT_WRITE = 5;
    private static final int EXIT_OUT_OF_MEMORY = 9;

    /** Returns its name in statuses and summaries. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static ExitClass ofExitCode(int code) {
        return switch (code) {
            case 0 -> OK;
            case EXIT_UNSUPPORTED -> UNSUPPORTED;
            case EXIT_CANNOT_WRITE -> CANNOT_WRITE;
            case EXIT_OUT_OF_MEMORY -> OUT_OF_MEMORY;
            default -> MODEL_ERROR;
        };
    }
}
