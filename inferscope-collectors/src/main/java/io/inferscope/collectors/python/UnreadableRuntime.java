package io.inferscope.collectors.python;

/**
 * An interpreter is there, or may be, but its stacks cannot be read. The message completes "the stacks of PID are
 * missing: ...".
 */
final class UnreadableRuntime extends Exception {
    private static final long serialVersionUID = 1;

    UnreadableRuntime(String why) {
        super(why, null, false, false);
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
