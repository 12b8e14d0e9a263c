package io.inferscope.shapes;

import io.inferscope.shapes.log.ShapeLogSink.Row;

/** Receives each call that counts, in the order of the log. */
public interface CallListener {
    /**
     * An operator was called.
     *
     * @param count how often it was called so far, this call included
     * @param row valid during the call
     */
    void call(String operation, long count, Row row);
}
