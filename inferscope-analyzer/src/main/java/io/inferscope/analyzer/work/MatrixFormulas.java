package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.WorkKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Products of matrices. {@code [M, K] x [K, N]} is 2 M N K operations, as in the BLAS operation counts of LAPACK
 * Working Note 41 and in torch.utils.flop_counter; a bias is not counted. Traffic is both factors and the result, once
 * each, and the bias.
 */
final class MatrixFormulas {
    private MatrixFormulas() {}

    /**
     * A feed-forward layer of which each token passes {@code topk} experts: two products for each, with weights {@code
     * [E, N1, K]} and {@code [E, K, N2]}. Where gate and up projection are one product, N1 is twice N2. Traffic is the
     * tokens, the result, and the weights of as many experts as can be chosen.
     */
    static @Nullable Work experts(Operands inputs, List<Integer> at) {
        Tensor x = inputs.tensor(at.get(0));
        Tensor up = inputs.tensor(at.get(1));
        Tensor down = inputs.tensor(at.get(2));
        Tensor chosen = inputs.tensor(at.get(3));
        if (x == null || up == null || down == null || chosen == null || x.rank() != 2 || chosen.rank() != 2) {
            return null;
        }
        long width = x.size(1);
        boolean fits = up.rank() == 3
                && down.rank() == 3
                && up.size(2) == width
                && down.size(1) == width
                && up.size(0) == down.size(0)
                && (up.size(1) == down.size(2) || up.size(1) == 2 * down.size(2))
                && chosen.size(0) == x.size(0)
                && chosen.size(1) <= up.size(0);
        if (!fits) {
            return null;
        }
        double pairs = chosen.elements();
        double used = Math.min(1, pairs / Math.max(1, up.size(0)));
        double flops = 2 * pairs * width * (up.size(1) + down.size(2));
        return new Work(WorkKind.MATMUL, flops, 2 * x.bytes() + used * (up.bytes() + down.bytes()), x.type());
    }

    /** Returns the work of a product, null if the shapes do not fit a product. */
    static @Nullable Work product(Operands inputs, int first, int bias) {
        Tensor a = inputs.tensor(first);
        Tensor b = inputs.tensor(first + 1);
        if (a == null || b == null || a.rank() == 0 || b.rank() == 0) {
            return null;
        }
        double rows = a.rank() == 1 ? 1 : a.size(-2);
        double columns = b.rank() == 1 ? 1 : b.size(-1);
        long inner = a.size(-1);
        if (inner != (b.rank() == 1 ? b.size(0) : b.size(-2))) {
            return null;
        }
        double batch = Math.max(a.elements(0, Math.max(0, a.rank() - 2)), b.elements(0, Math.max(0, b.rank() - 2)));
        Tensor added = bias < 0 ? null : inputs.tensor(bias);
        return work(a, b, batch * rows * columns, inner, added);
    }

    static @Nullable Work linear(Operands inputs, int at, int weights) {
        Tensor x = inputs.tensor(at);
        Tensor weight = inputs.tensor(weights);
        if (x == null || weight == null || x.rank() == 0 || weight.rank() != 2 || x.size(-1) != weight.size(1)) {
            return null;
        }
        double rows = x.elements(0, x.rank() - 1);
        return work(x, weight, rows * weight.size(0), weight.size(1), inputs.tensor(Math.max(at, weights) + 1));
    }

    private static Work work(Tensor a, Tensor b, double results, long inner, @Nullable Tensor bias) {
        double added = bias == null ? 0 : bias.bytes();
        double bytes = a.bytes() + b.bytes() + results * resultBytes(a.type()) + added;
        return new Work(WorkKind.MATMUL, 2 * results * inner, bytes, a.type());
    }

    /** Products of 8-bit types have wider results: 16 bits for FP8, 32 bits for INT8. */
    private static int resultBytes(ElementType type) {
        return type == ElementType.FLOAT8 ? 2 : type == ElementType.INT8 ? 4 : type.sizeBytes();
    }
}
