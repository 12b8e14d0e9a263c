package io.inferscope.analyzer.limits;

/** A limit that cannot be parsed; the message points to the fault. */
public final class LimitException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what is wrong.
     *
     * @param text all limits as given
     * @param column place of the fault, counted from 0
     * @param problem what is wrong there
     */
    LimitException(String text, int column, String problem) {
        super("'" + text + "', at character " + (column + 1) + ": " + problem);
    }
}
