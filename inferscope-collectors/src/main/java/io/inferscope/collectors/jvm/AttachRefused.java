package io.inferscope.collectors.jvm;

/** Thrown if a JVM refuses a request. The message is the reason, for the report. */
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

    /** Returns whether a JVM that is still starting gives the same answer. */
    boolean mayBeTooEarly() {
        return mayBeTooEarly;
    }
}
