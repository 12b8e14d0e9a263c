package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.WorkKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory-bound operators. Traffic counts inputs and results once. Operations are counted per element, from the
 * definitions in PyTorch's documentation:
 *
 * <ul>
 *   <li>layer, group and batch norm 7: sum, difference to the mean, square, sum of squares, times the deviation, times
 *   the weight, plus the bias; RMS norm 4: square, sum, times the root, times the weight
 *   <li>softmax 5: maximum, difference, exponential, sum, quotient
 *   <li>elementwise 1 per element of the result, reductions 1 per element of the input: a lower end, for a GELU is more
 *   than an addition
 * </ul>
 */
final class MemoryFormulas {
    private MemoryFormulas() {}

    /** A sum of two inputs and its norm. */
    static @Nullable Work addedNorm(Operands inputs) {
        Tensor x = inputs.tensor(0);
        Tensor rest = inputs.tensor(1);
        return x == null || rest == null
                ? null
                : new Work(
                        WorkKind.NORMALISATION, 5 * x.elements(), inputs.bytes() + x.bytes() + rest.bytes(), x.type());
    }

    /** An operator that takes its result as an input, so the traffic is all tensors. */
    static @Nullable Work all(WorkKind kind, Operands inputs, int flopsPerElement) {
        List<Tensor> tensors = inputs.tensors();
        if (tensors.size() < 2) {
            return null;
        }
        double most = tensors.stream().mapToDouble(Tensor::elements).max().orElseThrow();
        return new Work(
                kind, flopsPerElement * most, inputs.bytes(), tensors.get(0).type());
    }

    static @Nullable Work norm(Operands inputs, int flopsPerElement) {
        Tensor x = inputs.tensor(0);
        return x == null || x.rank() == 0
                ? null
                : new Work(
                        WorkKind.NORMALISATION, flopsPerElement * x.elements(), inputs.bytes() + x.bytes(), x.type());
    }

    static @Nullable Work perElement(WorkKind kind, Operands inputs, int passes, int flopsPerElement) {
        List<Tensor> tensors = inputs.tensors();
        if (tensors.isEmpty()) {
            return null;
        }
        boolean list = inputs.tensor(0) == null;
        double elements = 0;
        double bytes = 0;
        for (Tensor tensor : list ? tensors : tensors.subList(0, 1)) {
            elements += tensor.elements();
            bytes += tensor.bytes();
        }
        return new Work(
                kind, flopsPerElement * elements, passes * bytes, tensors.get(0).type());
    }

    static @Nullable Work copy(Operands inputs) {
        Tensor to = inputs.tensor(0);
        Tensor from = inputs.tensor(1);
        return to == null || from == null ? null : new Work(WorkKind.COPY, 0, to.bytes() + from.bytes(), to.type());
    }

    /** A copy to another type or device, whose result is recorded. */
    static @Nullable Work conversion(Operands inputs) {
        Tensor from = inputs.tensor(0);
        Tensor to = inputs.result();
        return from == null || to == null ? null : new Work(WorkKind.COPY, 0, from.bytes() + to.bytes(), to.type());
    }

    static @Nullable Work embedding(Operands inputs) {
        Tensor weight = inputs.tensor(0);
        Tensor rows = inputs.tensor(1);
        if (weight == null || rows == null || weight.rank() != 2) {
            return null;
        }
        double moved = rows.elements() * weight.size(1) * weight.type().sizeBytes();
        return new Work(WorkKind.EMBEDDING, 0, rows.bytes() + 2 * moved, weight.type());
    }

    static @Nullable Work gather(Operands inputs) {
        Tensor from = inputs.tensor(0);
        Tensor index = inputs.tensor(2) == null ? inputs.tensor(1) : inputs.tensor(2); // The dimension is no tensor.
        return from == null || index == null
                ? null
                : new Work(
                        WorkKind.EMBEDDING,
                        0,
                        index.bytes() + 2 * index.elements() * from.type().sizeBytes(),
                        from.type());
    }

    /**
     * The result has the shape to which the inputs are broadcast; of an in-place operator, the shape of the first
     * input.
     */
    static @Nullable Work elementwise(Operands inputs, boolean compares, boolean inPlace) {
        List<Tensor> tensors = inputs.tensors();
        Tensor first = inputs.tensor(0);
        if (first == null) {
            return null;
        }
        int rank = inPlace
                ? first.rank()
                : tensors.stream().mapToInt(Tensor::rank).max().orElse(0);
        double elements = 1;
        for (int dim = 1; dim <= rank; dim++) {
            long size = 1;
            for (Tensor tensor : inPlace ? List.of(first) : tensors) {
                size = dim <= tensor.rank() && tensor.size(-dim) != 1 ? tensor.size(-dim) : size;
            }
            elements *= size;
        }
        ElementType type = widest(tensors);
        double result = elements * (compares ? 1 : inPlace ? first.type().sizeBytes() : type.sizeBytes());
        return new Work(WorkKind.ELEMENTWISE, elements, inputs.bytes() + result, type);
    }

    /** Prefers floating-point types to integers, tensors to scalars, larger types to smaller ones. */
    private static ElementType widest(List<Tensor> tensors) {
        ElementType best = ElementType.UNKNOWN;
        int bestRank = -1;
        for (Tensor tensor : tensors) {
            ElementType type = tensor.type();
            int rank = (type.isFloat() ? 100 : 0) + (tensor.rank() > 0 ? 50 : 0) + type.sizeBytes();
            if (type != ElementType.UNKNOWN && rank > bestRank) {
                best = type;
                bestRank = rank;
            }
        }
        return best;
    }
}
