package io.inferscope.analyzer.work;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Operators beside ATen's that multiply matrices, by name: the table {@code operators.tsv}. */
final class OperatorTable {
    private static final List<Row> ROWS = KnowledgeTable.read(Knowledge.class, "operators.tsv", OperatorTable::row);

    private OperatorTable() {}

    /**
     * A row of the table.
     *
     * @param operator is found in the operator in lower case
     * @param inputs the positions of the inputs that the formula takes
     * @param example an operator, and the sizes and types of its inputs
     * @param flops what one call of the example computes
     */
    record Row(Pattern operator, String formula, List<Integer> inputs, List<String> example, double flops) {
        private @Nullable Work of(Operands operands) {
            return switch (formula) {
                case "product" -> MatrixFormulas.product(operands, inputs.get(0), -1);
                case "linear" -> MatrixFormulas.linear(operands, inputs.get(0), inputs.get(1));
                case "experts" -> MatrixFormulas.experts(operands, inputs);
                default -> throw new IllegalStateException("no formula " + formula);
            };
        }
    }

    private static Row row(String[] cells) {
        return new Row(
                Pattern.compile(cells[0]),
                cells[1],
                Arrays.stream(cells[2].split(" ")).map(Integer::valueOf).toList(),
                List.of(cells[3], cells[4], cells[5]),
                Double.parseDouble(cells[6]));
    }

    static List<Row> rows() {
        return ROWS;
    }

    /** Returns the work of one call; null if the operator is in no row, or its inputs do not fit. */
    static @Nullable Work of(String operator, Operands operands) {
        String name = operator.toLowerCase(Locale.ROOT);
        for (Row row : ROWS) {
            if (row.operator().matcher(name).find()) {
                return row.of(operands);
            }
        }
        return null;
    }
}
