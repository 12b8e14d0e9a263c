package io.inferscope.analyzer.limits;

/** A limit that is not understood; the message shows the place. */
public final class LimitException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what is wrong.
     *
     * @param text all limits as given
     * @param column where, counted from 0
     * @param problem what is wrong there
     */
    LimitException(String text, int column, String problem) {
        super("'" + text + "', at character " + (column + 1) + ": " + problem);
    }
}
