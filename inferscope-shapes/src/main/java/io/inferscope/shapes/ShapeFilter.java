package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.Locale;

/**
 * Which calls count.
 *
 * @param operation part of the operator's name, in any case; empty for all
 * @param minElements elements of all outputs together, at least
 */
public record ShapeFilter(String operation, long minElements) {
    /** Every call. */
    public static final ShapeFilter ALL = new ShapeFilter("", 0);

    boolean takes(Call call) {
        return contains(call.operation()) && ShapeTensor.elements(call.outputs()) >= minElements;
    }

    private boolean contains(String name) {
        return operation.isEmpty() || name.toLowerCase(Locale.ROOT).contains(operation.toLowerCase(Locale.ROOT));
    }

    /** Returns whether everything passes. */
    public boolean isAll() {
        return operation.isEmpty() && minElements <= 0;
    }
}
