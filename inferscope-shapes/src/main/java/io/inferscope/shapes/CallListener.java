package io.inferscope.shapes;

import io.inferscope.shapes.log.ShapeLogSink.Row;

/** Receives each call that passed the filter, in the order of the log. */
public interface CallListener {
    /**
     * Called for each call of an operator.
     *
     * @param count how often the operator was called so far, this call included
     * @param row valid during the call
     */
    void call(String operation, long count, Row row);
}
