package io.inferscope.collectors.jvm;

/** A JVM that did not do what was asked of it. The message says why, for the report. */
final class AttachRefused extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean mayBeTooEarly;

    AttachRefused(String message) {
        this(message, false);
    }

    AttachRefused(String message, boolean mayBeTooEarly) {
        super(message);
        this.mayBeTooEarly = mayBeTooEarly;
    }

    /** Returns whether a JVM that is still starting says the same. */
    boolean mayBeTooEarly() {
        return mayBeTooEarly;
    }
}
