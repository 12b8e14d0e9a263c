package io.inferscope.shapes.log;

/** Takes the rows of a shape log. Rows repeat: what repeats is handed over once, and then called by a number. */
public interface ShapeLogSink {
    /**
     * Takes what a row says. It may come again later: the reader remembers a bounded number of them.
     *
     * @return the number by which {@link #row} calls it: the sink's choice
     */
    int body(ShapeBody body);

    /**
     * Takes a row; markers too.
     *
     * @param body what {@link #body} returned for it
     * @return whether to go on reading
     */
    boolean row(int body, Row row);

    /** The part of a row that is its own. One object, valid during the call. */
    interface Row {
        /** Returns the number of the call, -1 when not logged. */
        long callId();

        /** Returns the number of the forward pass, -1 when not logged. */
        long forwardPass();

        /** Returns how often the operator was called so far, as logged; -1 when not logged. */
        long operationCount();

        /** Returns how many calls the row stands for, at least 1: where repeated calls are left out, their first says how many there were. */
        long count();

        /** Returns the elements of all outputs together, at most {@link Long#MAX_VALUE}; 0 without, and where a size is not known. */
        long outputElements();

        /** Returns the outputs as the JSON text that is in the log; {@code null} where there are none. */
        String outputsText();
    }
}
