package io.inferscope.analyzer.work;

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
}
