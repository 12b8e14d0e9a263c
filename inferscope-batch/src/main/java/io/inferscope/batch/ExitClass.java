package io.inferscope.batch;

import java.util.Locale;

/** What became of a tracer's process. The worker's exit codes are those of {@code outcome.py}. */
public enum ExitClass {
    /** It did its work, and what it promised is there and can be read. */
    OK,
    /** It, or its group, asked for more memory than it may have. */
    OUT_OF_MEMORY,
    /** It took longer than it may. */
    TIMEOUT,
    /** A signal ended it. */
    CRASH,
    /** The model, the device or what is installed cannot be traced so. */
    UNSUPPORTED,
    /** The model's files are not complete, or running it raised an error. */
    MODEL_ERROR,
    /** It said that it was done, but not all that it promised is there and can be read. */
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
