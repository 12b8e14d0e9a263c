package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.WorkKind;
import org.jspecify.annotations.Nullable;

/**
 * Products of matrices. {@code [M, K] x [K, N]} is 2 M N K operations, as in the BLAS operation counts of LAPACK
 * Working Note 41 and in torch.utils.flop_counter; a bias is not counted. Traffic is both factors and the result, once
 * each, and the bias.
 */
final class MatrixFormulas {
    private MatrixFormulas() {}

    /** Returns the work of a product, null if the shapes do not fit a product. */
    static @Nullable Work of(String name, Operands inputs) {
        return switch (name) {
            case "mm", "matmul", "bmm", "mv", "dot", "_int_mm", "_scaled_mm" -> product(inputs, 0, -1);
            case "addmm", "addmm_", "baddbmm", "baddbmm_", "addmv", "_addmm_activation" -> product(inputs, 1, 0);
            case "linear", "mkldnn_linear", "_mkl_linear" -> linear(inputs, 0);
            default -> null;
        };
    }

    /** Returns the work of another library's operator that is a product by its name. Its weights are {@code [N, K]}. */
    static @Nullable Work ofOther(String name, Operands inputs) {
        if (name.contains("scaled_mm")) {
            return product(inputs, 1, -1);
        }
        return name.contains("gemm") ? linear(inputs, 0) : null;
    }

    private static @Nullable Work product(Operands inputs, int first, int bias) {
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

    private static @Nullable Work linear(Operands inputs, int first) {
        Tensor x = inputs.tensor(first);
        Tensor weight = inputs.tensor(first + 1);
        if (x == null || weight == null || x.rank() == 0 || weight.rank() != 2 || x.size(-1) != weight.size(1)) {
            return null;
        }
        double rows = x.elements(0, x.rank() - 1);
        return work(x, weight, rows * weight.size(0), weight.size(1), inputs.tensor(first + 2));
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
