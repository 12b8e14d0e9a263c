package io.inferscope.collectors.jvm;

/** A JVM that did not do what was asked of it. The message says why, for the report. */
final class AttachRefused extends Exception {
    private static final long serialVersionUID = 1L;

    AttachRefused(String message) {
        super(message);
    }
}
