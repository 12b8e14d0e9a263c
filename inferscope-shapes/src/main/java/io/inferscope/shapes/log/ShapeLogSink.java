package io.inferscope.shapes.log;

/**
 * Receives the rows of a shape log. Many rows differ only in ids and counts: their common body is passed once and then
 * identified by a number.
 */
public interface ShapeLogSink {
    /**
     * Receives the body of a row. The same body may come again later, because the reader remembers only a bounded
     * number of bodies.
     *
     * @return a number chosen by the sink, which {@link #row} gets for this body
     */
    int body(ShapeBody body);

    /**
     * Receives a row, be it a call or a marker.
     *
     * @param body what {@link #body} returned for it
     * @return whether to go on reading
     */
    boolean row(int body, Row row);

    /** Ids and counts of a row. The same object is used for all rows; it is valid only during the call. */
    interface Row {
        /** Returns the number of the call, -1 when not logged. */
        long callId();

        /** Returns the number of the forward pass, -1 when not logged. */
        long forwardPass();

        /** Returns how often the operator was called so far, as logged; -1 when not logged. */
        long operationCount();

        /**
         * Returns how many calls the row stands for, at least 1: where repeated calls are left out, the row of the
         * first holds their number.
         */
        long count();

        /**
         * Returns the elements of all outputs together, at most {@link Long#MAX_VALUE}; 0 when there are none or a size
         * is not known.
         */
        long outputElements();

        /** Returns the outputs as the JSON text that is in the log; {@code null} where there are none. */
        String outputsText();
    }
}
