package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.WorkKind;
import org.jspecify.annotations.Nullable;

/** The work of an operator by its name and inputs. Formulas and their sources: docs/roofline.md. */
public final class WorkFormulas {
    private static final String ATEN = "aten::";

    private WorkFormulas() {}

    /** Returns the least work of one call; null if no formula is known for the operator and its inputs. */
    public static @Nullable Work of(String operator, Operands inputs) {
        if (!operator.startsWith(ATEN)) {
            Work product = OperatorTable.of(operator, inputs);
            return product != null ? product : MemoryFormulas.ofOther(operator, inputs);
        }
        String name = operator.substring(ATEN.length());
        Work work = MatrixFormulas.of(name, inputs);
        work = work != null ? work : ConvolutionFormulas.of(name, inputs);
        work = work != null ? work : AttentionFormulas.of(name, inputs);
        return work != null ? work : MemoryFormulas.of(name, inputs);
    }

    /**
     * Scaled dot-product attention: two products per head, Q K^T and the weights times V, {@code 2 B H S_q S_k (D + D_v)}
     * operations, as in torch.utils.flop_counter; the softmax between them is not counted. Traffic is Q, K, V and the
     * result: kernels that keep the weights on chip move no more (Dao et al., FlashAttention, arXiv 2205.14135). A causal
     * mask over equally many queries and keys leaves the pairs of the lower triangle, {@code S (S + 1) / 2}, which
     * flop_counter does not subtract. If sequences of several lengths are packed, or keys lie in pages of a cache, the
     * dimensions do not contain the lengths, so there is no result.
     */
    private static final class AttentionFormulas {
        /**
         * How an operator lays out its inputs.
         *
         * @param causal the input that selects a causal mask
         * @param heads the dimension of the heads; the sequence is the other of 1 and 2
         */
        private record Layout(int causal, int heads) {}

        private AttentionFormulas() {}

        private static @Nullable Layout layout(String name) {
            return switch (name) {
                case "scaled_dot_product_attention" -> new Layout(5, 1);
                case "_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu" ->
                    new Layout(4, 1);
                case "_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention" ->
                    new Layout(6, 1);
                case "_flash_attention_forward" -> new Layout(8, 2);
                case "_efficient_attention_forward" -> new Layout(-1, 2);
                default -> null;
            };
        }

        static @Nullable Work of(String name, Operands inputs) {
            Layout layout = layout(name);
            Tensor q = inputs.tensor(0);
            Tensor k = inputs.tensor(1);
            Tensor v = inputs.tensor(2);
            if (layout == null
                    || q == null
                    || k == null
                    || v == null
                    || q.rank() != 4
                    || k.rank() != 4
                    || v.rank() != 4) {
                return null;
            }
            if (layout.heads == 2 && inputs.tensor(layout.causal == 8 ? 3 : 4) != null) {
                return null; // Lengths of packed sequences.
            }
            int sequence = 3 - layout.heads;
            double queries = q.size(sequence);
            double keys = k.size(sequence);
            boolean causal = layout.causal >= 0 && inputs.isTrue(layout.causal) && queries == keys;
            double pairs = q.size(0) * q.size(layout.heads) * (causal ? queries * (queries + 1) / 2 : queries * keys);
            double result = q.elements(0, 3) * v.size(3) * q.type().sizeBytes();
            double bytes = q.bytes() + k.bytes() + v.bytes() + result;
            return new Work(WorkKind.ATTENTION, 2 * pairs * (q.size(3) + v.size(3)), bytes, q.type());
        }
    }
}
