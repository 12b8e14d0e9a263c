package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.WorkKind;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private static final Set<String> LAYER_NORMS = Set.of(
            "native_layer_norm",
            "layer_norm",
            "native_group_norm",
            "group_norm",
            "native_batch_norm",
            "_native_batch_norm_legit_no_training",
            "cudnn_batch_norm",
            "miopen_batch_norm",
            "batch_norm");
    private static final Set<String> ELEMENTWISE = Set.of(
            ("relu gelu silu sigmoid tanh neg exp exp2 log log2 log1p expm1 sqrt rsqrt sin cos abs reciprocal erf square"
                            + " clamp clamp_min clamp_max hardtanh hardswish hardsigmoid leaky_relu elu softplus mish floor"
                            + " ceil round sign bitwise_not nan_to_num tril triu add sub mul div rsub pow maximum minimum"
                            + " fmod remainder bitwise_and bitwise_or bitwise_xor lerp addcmul addcdiv where masked_fill"
                            + " atan2 threshold dropout native_dropout")
                    .split(" "));
    private static final Set<String> COMPARISONS =
            Set.of("eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite".split(" "));
    private static final Set<String> REDUCTIONS = Set.of(
            "sum mean amax amin max min argmax argmin prod norm linalg_vector_norm var std var_mean any all nansum logsumexp topk"
                    .split(" "));
    private static final Map<String, Integer> COPIES =
            Map.of("clone", 2, "contiguous", 2, "cat", 2, "fill", 1, "zero", 1, "cumsum", 2);

    private MemoryFormulas() {}

    static @Nullable Work of(String name, Operands inputs) {
        String plain = name.endsWith("_") ? name.substring(0, name.length() - 1) : name;
        if (LAYER_NORMS.contains(plain)) {
            return norm(inputs, 7);
        }
        if (plain.equals("rms_norm") || plain.equals("_fused_rms_norm")) {
            return norm(inputs, 4);
        }
        return switch (plain) {
            case "_softmax", "_log_softmax", "softmax", "log_softmax", "_safe_softmax" ->
                perElement(WorkKind.SOFTMAX, inputs, 2, 5);
            case "copy" -> copy(inputs);
            case "embedding" -> embedding(inputs);
            case "gather" -> gather(inputs);
            default -> byName(plain, inputs, name.endsWith("_"));
        };
    }

    private static @Nullable Work byName(String plain, Operands inputs, boolean inPlace) {
        Integer passes = COPIES.get(plain);
        if (passes != null) {
            return perElement(WorkKind.COPY, inputs, passes, 0);
        }
        if (REDUCTIONS.contains(plain)) {
            return perElement(WorkKind.REDUCTION, inputs, 1, 1);
        }
        boolean compares = COMPARISONS.contains(plain);
        return compares || ELEMENTWISE.contains(plain) ? elementwise(inputs, compares, inPlace) : null;
    }

    /** Fused operators of other libraries. They take the result as an input, so the traffic is all tensors. */
    static @Nullable Work ofOther(String name, Operands inputs) {
        if (name.contains("fused_add_rms")) {
            Tensor x = inputs.tensor(0);
            Tensor rest = inputs.tensor(1);
            return x == null || rest == null
                    ? null
                    : new Work(
                            WorkKind.NORMALISATION,
                            5 * x.elements(),
                            inputs.bytes() + x.bytes() + rest.bytes(),
                            x.type());
        }
        if (name.contains("rmsnorm") || name.contains("rms_norm")) {
            return all(WorkKind.NORMALISATION, inputs, 4);
        }
        if (name.contains("_and_mul") || name.contains("quant") || name.startsWith("triton_poi_")) {
            return all(WorkKind.ELEMENTWISE, inputs, 1);
        }
        return name.startsWith("triton_red_") || name.startsWith("triton_per_")
                ? all(WorkKind.REDUCTION, inputs, 1)
                : null;
    }

    private static @Nullable Work all(WorkKind kind, Operands inputs, int flopsPerElement) {
        List<Tensor> tensors = inputs.tensors();
        if (tensors.size() < 2) {
            return null;
        }
        double most = tensors.stream().mapToDouble(Tensor::elements).max().orElseThrow();
        return new Work(
                kind, flopsPerElement * most, inputs.bytes(), tensors.get(0).type());
    }

    private static @Nullable Work norm(Operands inputs, int flopsPerElement) {
        Tensor x = inputs.tensor(0);
        return x == null || x.rank() == 0
                ? null
                : new Work(
                        WorkKind.NORMALISATION, flopsPerElement * x.elements(), inputs.bytes() + x.bytes(), x.type());
    }

    private static @Nullable Work perElement(WorkKind kind, Operands inputs, int passes, int flopsPerElement) {
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

    private static @Nullable Work copy(Operands inputs) {
        Tensor to = inputs.tensor(0);
        Tensor from = inputs.tensor(1);
        return to == null || from == null ? null : new Work(WorkKind.COPY, 0, to.bytes() + from.bytes(), to.type());
    }

    private static @Nullable Work embedding(Operands inputs) {
        Tensor weight = inputs.tensor(0);
        Tensor rows = inputs.tensor(1);
        if (weight == null || rows == null || weight.rank() != 2) {
            return null;
        }
        double moved = rows.elements() * weight.size(1) * weight.type().sizeBytes();
        return new Work(WorkKind.EMBEDDING, 0, rows.bytes() + 2 * moved, weight.type());
    }

    private static @Nullable Work gather(Operands inputs) {
        Tensor from = inputs.tensor(0);
        Tensor index = inputs.tensor(2);
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
    private static @Nullable Work elementwise(Operands inputs, boolean compares, boolean inPlace) {
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
