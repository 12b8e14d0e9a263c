package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.WorkKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions: 2 N C_out (C_in / groups) |kernel| |output| operations, where a side of the output is {@code floor((in
 * + 2 padding - dilation (kernel - 1) - 1) / stride) + 1} (torch.nn.Conv2d); for a transposed convolution |input|
 * replaces |output|, as in torch.utils.flop_counter. Weights are {@code [C_out, C_in / groups, kernel...]}. Without the
 * values of stride and padding the output must be recorded itself; otherwise there is no result. Then it is not known
 * whether the convolution is transposed: one whose output has a longer side counts as transposed and is left out.
 */
final class ConvolutionFormulas {
    /** Positions of an operator's inputs; -1 for none. */
    record Places(int stride, int padding, int dilation, int transposed) {}

    /** Positions in {@code convolution}, the only name of transposed ones. */
    private static final int OUTPUT_PADDING = 7;

    private static final int GROUPS = 8;

    private ConvolutionFormulas() {}

    static @Nullable Work of(Operands inputs, Places places) {
        Tensor x = inputs.tensor(0);
        Tensor weight = inputs.tensor(1);
        if (x == null || weight == null || weight.rank() < 3 || x.rank() != weight.rank()) {
            return null;
        }
        boolean transposed = places.transposed >= 0 && inputs.isTrue(places.transposed);
        Tensor result = inputs.result();
        double output = transposed
                ? enlarged(x, weight, places, inputs)
                : result != null ? recorded(x, result) : output(x, weight, places, inputs);
        double positions = transposed ? x.elements(2, x.rank()) : output;
        if (!transposed && Double.isNaN(output)) {
            return null;
        }
        double flops = 2 * x.size(0) * weight.elements() * positions;
        double channels = transposed ? weight.size(1) * groups(inputs) : weight.size(0);
        double results = x.size(0) * channels * output;
        double bytes = x.bytes() + weight.bytes() + results * x.type().sizeBytes();
        return new Work(WorkKind.CONVOLUTION, flops, bytes, x.type());
    }

    /** Returns how many groups the channels of a transposed convolution have, {@link Double#NaN} if not recorded. */
    private static double groups(Operands inputs) {
        List<Long> groups = inputs.numbers(GROUPS, 1);
        return groups == null ? Double.NaN : groups.get(0);
    }

    /**
     * Returns how many positions the output of a transposed convolution has: a side is {@code (in - 1) stride - 2
     * padding + dilation (kernel - 1) + output padding + 1} (torch.nn.ConvTranspose2d).
     */
    private static double enlarged(Tensor x, Tensor weight, Places places, Operands inputs) {
        int sides = weight.rank() - 2;
        List<Long> stride = inputs.numbers(places.stride, sides);
        List<Long> padding = inputs.numbers(places.padding, sides);
        List<Long> dilation = inputs.numbers(places.dilation, sides);
        List<Long> added = inputs.numbers(OUTPUT_PADDING, sides);
        if (stride == null || padding == null || dilation == null || added == null) {
            return Double.NaN;
        }
        double positions = 1;
        for (int i = 0; i < sides; i++) {
            positions *= (x.size(2 + i) - 1) * stride.get(i)
                    - 2 * padding.get(i)
                    + dilation.get(i) * (weight.size(2 + i) - 1)
                    + added.get(i)
                    + 1;
        }
        return positions > 0 ? positions : Double.NaN;
    }

    private static double recorded(Tensor x, Tensor result) {
        if (result.rank() != x.rank()) {
            return Double.NaN;
        }
        for (int side = 2; side < x.rank(); side++) {
            if (result.size(side) > x.size(side)) {
                return Double.NaN;
            }
        }
        return result.elements(2, result.rank());
    }

    /** Returns how many positions the output has, {@link Double#NaN} when that is not recorded. */
    private static double output(Tensor x, Tensor weight, Places places, Operands inputs) {
        int sides = weight.rank() - 2;
        List<Long> stride = inputs.numbers(places.stride, sides);
        List<Long> padding = inputs.numbers(places.padding, sides);
        List<Long> dilation = places.dilation < 0 ? null : inputs.numbers(places.dilation, sides);
        if (stride == null || padding == null || (places.dilation >= 0 && dilation == null)) {
            return Double.NaN;
        }
        double positions = 1;
        for (int i = 0; i < sides; i++) {
            long spread = dilation == null ? 1 : dilation.get(i);
            long room = x.size(2 + i) + 2 * padding.get(i) - spread * (weight.size(2 + i) - 1) - 1;
            if (stride.get(i) <= 0 || room < 0) {
                return Double.NaN;
            }
            positions *= Math.floorDiv(room, stride.get(i)) + 1;
        }
        return positions;
    }
}
