package io.inferscope.analyzer.calls;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The lines whose model has operators so small that calling them costs much of its time: Python's modules, the checking
 * of arguments, the choice of a kernel and the making of tensors take some microseconds a call, whatever it computes.
 *
 * <pre>
 *   samples in the model      calls   computes   (30 layers of 16 x 16: 75 : 25; 4 of 2048 x 2048: 2 : 98)
 *   without native samples    Python between operators   in an operator
 * </pre>
 *
 * Native samples show the code itself: the interpreter and the libraries that only lead to operators. At least {@value
 * #CALLS} of them must, so that a large model keeps its few. Without native samples, an operator of microseconds is
 * rarely seen, and a call whose function cannot be read looks like Python, too. So at least {@value #PYTHON} of the
 * samples must be in the framework's lines that call Python, as modules do that call modules; a transformer of 6 ms a
 * layer has 2 %, a cell of 20 us 11 %. And operators must be seen at all, as some versions of Python do not show them.
 */
public final class OperatorCalls {
    private static final double CALLS = 0.10;
    private static final double PYTHON = 0.06;
    private static final double OPERATORS = 0.05;

    /** What a sample in the model shows. */
    public enum Work {
        /** The library's native code, which computes as far as is known. */
        COMPUTES,
        /** Native code that leads to an operator. */
        CALLS,
        /** A framework's line of Python that calls Python. */
        LEADS,
        /** Another line of Python on the way to an operator. */
        PYTHON,
        /** A line of the program's own forward pass that calls nothing. */
        OWN_PYTHON
    }

    private static final class Line {
        private final long[] samples = new long[Work.values().length];

        boolean isBrief(boolean joined) {
            long all = 0;
            for (long of : samples) {
                all += of;
            }
            long own = samples[Work.OWN_PYTHON.ordinal()];
            long leads = samples[Work.LEADS.ordinal()];
            long seen = samples[Work.COMPUTES.ordinal()];
            return joined
                    ? SeenStacks.isAtLeast(CALLS, samples[Work.CALLS.ordinal()] + own, all)
                    : SeenStacks.isAtLeast(PYTHON, leads, all) && SeenStacks.isAtLeast(OPERATORS, seen, all);
        }
    }

    private OperatorCalls() {}

    /**
     * Returns, by stack, what it shows of a model whose operators are small; null for all others.
     *
     * @param lines by stack, the name of the line that the program's own code had reached
     * @param work what a stack shows of a model, null for nothing
     */
    public static @Nullable Work[] of(SeenStacks seen, IntUnaryOperator lines, IntFunction<@Nullable Work> work) {
        int count = seen.samples().length;
        Work[] shown = new Work[count];
        Map<Integer, Line> byName = new HashMap<>();
        for (int stack = 0; stack < count; stack++) {
            Work of = work.apply(stack);
            shown[stack] = of;
            if (of != null) {
                byName.computeIfAbsent(lines.applyAsInt(stack), name -> new Line()).samples[of.ordinal()] +=
                        seen.samples()[stack];
            }
        }
        for (int stack = 0; stack < count; stack++) {
            Work of = shown[stack];
            Line line = of == null ? null : byName.get(lines.applyAsInt(stack));
            shown[stack] = line != null && line.isBrief(seen.joined()) ? of : null;
        }
        return shown;
    }
}
