package io.inferscope.analyzer.work;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.WorkKind;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The work of an operator by its name and inputs: of ATen's by the table {@code aten.tsv}, of others by {@code
 * operators.tsv}. Formulas and their sources: docs/roofline.md.
 */
public final class WorkFormulas {
    private static final List<Row> ROWS = KnowledgeTable.read(Knowledge.class, "operators.tsv", WorkFormulas::row);

    private static final Map<String, Formula> ATEN = new HashMap<>();

    /** What returns another view of the same memory (PyTorch's manual, "Tensor Views"), or only allocates memory. */
    private static final String VIEW = "view";

    static {
        for (String[] cells : KnowledgeTable.read(Knowledge.class, "aten.tsv", Function.identity())) {
            Formula formula = Formula.of(cells[1], cells[2]);
            Arrays.stream(cells[0].split(" ", -1)).forEach(name -> ATEN.put(name, formula));
        }
    }

    private WorkFormulas() {}

    /** A formula of the tables, and the numbers of an operator that it needs, mostly positions of inputs. */
    private record Formula(String name, List<Integer> numbers) {
        static Formula of(String name, String numbers) {
            return new Formula(
                    name,
                    Arrays.stream(numbers.split(" ", -1)).map(Integer::valueOf).toList());
        }

        private int at(int index) {
            return numbers.get(index);
        }

        @Nullable
        Work of(Operands inputs, boolean inPlace) {
            return switch (name) {
                case "product" -> MatrixFormulas.product(inputs, at(0), at(1));
                case "linear" -> MatrixFormulas.linear(inputs, at(0), at(1));
                case "experts" -> MatrixFormulas.experts(inputs, numbers);
                case "convolution" ->
                    ConvolutionFormulas.of(inputs, new ConvolutionFormulas.Places(at(0), at(1), at(2), at(3)));
                case "attention" -> attention(inputs, at(0), at(1));
                case "norm" -> MemoryFormulas.norm(inputs, at(0));
                case "softmax" -> MemoryFormulas.perElement(WorkKind.SOFTMAX, inputs, at(0), at(1));
                case "reduction" -> MemoryFormulas.perElement(WorkKind.REDUCTION, inputs, at(0), at(1));
                case "move" -> MemoryFormulas.perElement(WorkKind.COPY, inputs, at(0), at(1));
                case "copy" -> MemoryFormulas.copy(inputs);
                case "embedding" -> MemoryFormulas.embedding(inputs);
                case "conversion" -> MemoryFormulas.conversion(inputs);
                case VIEW -> null; // Of a trace, which shows the time of such an operator.
                case "gather" -> MemoryFormulas.gather(inputs);
                case "elementwise" -> MemoryFormulas.elementwise(inputs, false, inPlace);
                case "comparison" -> MemoryFormulas.elementwise(inputs, true, inPlace);
                case "added-norm" -> MemoryFormulas.addedNorm(inputs);
                case "all-norm" -> MemoryFormulas.all(WorkKind.NORMALISATION, inputs, at(0));
                case "all-elementwise" -> MemoryFormulas.all(WorkKind.ELEMENTWISE, inputs, at(0));
                case "all-reduction" -> MemoryFormulas.all(WorkKind.REDUCTION, inputs, at(0));
                default -> throw new IllegalStateException("no formula " + name);
            };
        }
    }

    /**
     * A row of {@code operators.tsv}.
     *
     * @param operator is found in the operator
     * @param example an operator, and the sizes and types of its inputs
     * @param flops what one call of the example computes
     */
    record Row(Pattern operator, Formula formula, List<String> example, double flops) {}

    private static Row row(String[] cells) {
        return new Row(
                Pattern.compile(cells[0]),
                Formula.of(cells[1], cells[2]),
                List.of(cells[3], cells[4], cells[5]),
                Double.parseDouble(cells[6]));
    }

    /** Returns whether an operator moves no data. */
    public static boolean isView(String operator) {
        Formula formula = formula(operator);
        return formula != null && formula.name.equals(VIEW);
    }

    static List<Row> rows() {
        return ROWS;
    }

    /** Returns the least work of one call; null if no formula is known for the operator and its inputs. */
    public static @Nullable Work of(String operator, Operands inputs) {
        Formula formula = formula(operator);
        return formula == null ? null : formula.of(inputs, operator.endsWith("_"));
    }

    private static @Nullable Formula formula(String operator) {
        if (NameRole.ATEN.in(operator)) {
            int end = operator.length() - (operator.endsWith("_") ? 1 : 0);
            return ATEN.get(operator.substring(operator.lastIndexOf(':') + 1, end));
        }
        for (Row row : ROWS) {
            if (row.operator.matcher(operator).find()) {
                return row.formula;
            }
        }
        return null;
    }

    /**
     * Scaled dot-product attention: two products per head, Q K^T and the weights times V, {@code 2 B H S_q S_k (D + D_v)}
     * operations, as in torch.utils.flop_counter; the softmax between them is not counted. Traffic is Q, K, V and the
     * result: kernels that keep the weights on chip move no more (Dao et al., FlashAttention, arXiv 2205.14135). A causal
     * mask over equally many queries and keys leaves the pairs of the lower triangle, {@code S (S + 1) / 2}, which
     * flop_counter does not subtract. If sequences of several lengths are packed, or keys lie in pages of a cache, the
     * dimensions do not contain the lengths, so there is no result.
     *
     * @param masked the input that selects a causal mask, -1 for none
     * @param heads the dimension of the heads; the sequence is the other of 1 and 2
     */
    private static @Nullable Work attention(Operands inputs, int masked, int heads) {
        Tensor q = inputs.tensor(0);
        Tensor k = inputs.tensor(1);
        Tensor v = inputs.tensor(2);
        if (q == null || k == null || v == null || q.rank() != 4 || k.rank() != 4 || v.rank() != 4) {
            return null;
        }
        if (heads == 2 && inputs.tensor(masked == 8 ? 3 : 4) != null) {
            return null; // Lengths of packed sequences.
        }
        int sequence = 3 - heads;
        double queries = q.size(sequence);
        double keys = k.size(sequence);
        boolean causal = masked >= 0 && inputs.isTrue(masked) && queries == keys;
        double pairs = q.size(0) * q.size(heads) * (causal ? queries * (queries + 1) / 2 : queries * keys);
        double result = q.elements(0, 3) * v.size(3) * q.type().sizeBytes();
        double bytes = q.bytes() + k.bytes() + v.bytes() + result;
        return new Work(WorkKind.ATTENTION, 2 * pairs * (q.size(3) + v.size(3)), bytes, q.type());
    }
}
