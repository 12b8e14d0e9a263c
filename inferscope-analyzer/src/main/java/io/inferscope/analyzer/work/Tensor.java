package io.inferscope.analyzer.work;

import java.util.List;

/**
 * The shape of one input.
 *
 * @param dims its sizes, outermost first, none below 0; empty for a single number
 * @param type the type of its elements
 */
public record Tensor(List<Long> dims, ElementType type) {
    public Tensor {
        dims = List.copyOf(dims);
    }

    int rank() {
        return dims.size();
    }

    /** Returns a size; -1 is the innermost. */
    long size(int dim) {
        return dims.get(dim < 0 ? dims.size() + dim : dim);
    }

    /** Returns how many elements it has. */
    public double elements() {
        return elements(0, rank());
    }

    /** Returns the product of the sizes {@code [from, to)}. */
    double elements(int from, int to) {
        double product = 1;
        for (int i = from; i < to; i++) {
            product *= dims.get(i);
        }
        return product;
    }

    /** Returns its size in memory, {@link Double#NaN} when the type is not known. */
    public double bytes() {
        return type == ElementType.UNKNOWN ? Double.NaN : elements() * type.sizeBytes();
    }
}
