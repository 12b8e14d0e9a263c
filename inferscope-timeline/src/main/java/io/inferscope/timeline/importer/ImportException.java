package io.inferscope.timeline.importer;

import org.jspecify.annotations.Nullable;

/** An input that cannot be used at all. The message names the file, the place and what to do about it, in one line. */
public final class ImportException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Makes the message {@code input: problem; remedy}. */
    public ImportException(String input, String problem, String remedy) {
        this(input, problem, remedy, null);
    }

    /** Makes the message {@code input: problem; remedy}, caused by {@code cause}. */
    public ImportException(String input, String problem, String remedy, @Nullable Throwable cause) {
        super(input + ": " + problem + "; " + remedy, cause);
    }

    private ImportException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns the same problem in other words. */
    public ImportException named(String message) {
        return new ImportException(message, this);
    }
}
