package io.inferscope.analyzer.model;

import java.util.List;

/**
 * A tensor in a shape log.
 *
 * @param name the argument that it is, or is part of: neighbours of the same name form a list. {@code #0} and so on if
 *     the log names no arguments; empty for a single output
 * @param dtype the type of its elements as PyTorch writes it, {@code torch.float16}; empty when not logged
 * @param dims its sizes, outermost first; empty for a scalar; {@link #UNKNOWN} for a size that is not a number, as in
 *     symbolic shapes
 */
public record ShapeTensor(String name, String dtype, List<Long> dims) {
    /** A size that is not known. */
    public static final long UNKNOWN = -1;

    public ShapeTensor {
        dims = List.copyOf(dims);
    }

    /** Returns how many elements it has, 0 when a size is not known, at most {@link Long#MAX_VALUE}. */
    public long elements() {
        if (dims.contains(0L) || dims.contains(UNKNOWN)) {
            return 0;
        }
        long product = 1;
        for (long size : dims) {
            boolean fits = Math.multiplyHigh(product, size) == 0 && product * size >= 0;
            product = fits ? product * size : Long.MAX_VALUE;
        }
        return product;
    }

    /** Returns the elements of all, at most {@link Long#MAX_VALUE}. */
    public static long elements(List<ShapeTensor> tensors) {
        long sum = 0;
        for (ShapeTensor tensor : tensors) {
            sum += Math.min(tensor.elements(), Long.MAX_VALUE - sum);
        }
        return sum;
    }
}
