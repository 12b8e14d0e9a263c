package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.RangeCalls;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.List;

/**
 * Finds recurring recorded calls of Python code: calls of a module that no other module called, or of a function that
 * does the work.
 *
 * <pre>
 *   main.py: serve [...........................................]
 *                    [nn.Module: Model_0 ] [nn.Module: Model_0 ]     outermost modules: passes
 *                      [Layer_0] [Layer_1]   [Layer_0] [Layer_1]     inside: layers
 * </pre>
 */
final class FrameLoops {
    /**
     * The least share of a thread's operator time inside a function's calls for the function to be the loop's body
     * rather than a helper.
     */
    private static final double HOLDS = 0.8;

    private final Timeline timeline;
    private final RangeCalls calls;
    private final int track;
    private final int firstRow;
    private final NamePredicate modules;
    private final NamePredicate passes;

    FrameLoops(Timeline timeline, RangeCalls calls, int track) {
        this.timeline = timeline;
        this.calls = calls;
        this.track = track;
        this.firstRow = timeline.firstRow(track);
        this.modules = new NamePredicate(timeline, StepNames::isModule);
        this.passes = new NamePredicate(timeline, name -> StepNames.isPass(StepNames.function(name)));
    }

    /**
     * Returns the calls of the outermost module with most time, if they take at least a fifth of {@code windowNs}; else
     * none.
     */
    List<Integer> modules(long windowNs) {
        RowsByName families = new RowsByName(timeline, calls);
        long endNs = Long.MIN_VALUE;
        for (int row = firstRow; row < timeline.endRow(track); row++) {
            boolean outermost = timeline.startNs(row) >= endNs;
            if (outermost && timeline.kind(row) == RowKind.PYTHON_FUNCTION && modules.testRow(row)) {
                endNs = timeline.endNs(row);
                families.add(0, row);
            }
        }
        return families.longest(family -> true, windowNs);
    }

    /** Returns the calls of the outermost function that recurs and inside which the thread computes; else none. */
    List<Integer> functions(long windowNs) {
        int size = timeline.endRow(track) - firstRow;
        int[] depths = new int[size];
        RowsByName.Family[] families = new RowsByName.Family[size];
        RowsByName known = new RowsByName(timeline, calls);
        long passEndNs = Long.MIN_VALUE;
        long operatorEndNs = Long.MIN_VALUE;
        long operatorNs = 0;
        long[] operatorsNs = new long[size];
        for (int row = firstRow; row < timeline.endRow(track); row++) {
            int parent = timeline.parent(row);
            depths[row - firstRow] = parent < 0 ? 0 : depths[parent - firstRow];
            if (timeline.kind(row) == RowKind.PYTHON_FUNCTION) {
                int depth = ++depths[row - firstRow];
                if (timeline.startNs(row) >= passEndNs) {
                    families[row - firstRow] = known.add(depth, row);
                    passEndNs = modules.testRow(row) || passes.testRow(row) ? timeline.endNs(row) : passEndNs;
                }
            } else if (timeline.kind(row) == RowKind.OPERATOR && timeline.startNs(row) >= operatorEndNs) {
                operatorEndNs = timeline.endNs(row);
                operatorNs += timeline.durationNs(row);
                operatorsNs[parent < 0 ? row - firstRow : parent - firstRow] += timeline.durationNs(row);
            }
        }
        addOperators(families, operatorsNs);
        long leastNs = Math.max(1, (long) (HOLDS * operatorNs));
        return known.longest(family -> family.operatorNs() >= leastNs, windowNs);
    }

    /** Adds to each function the time of the operators inside it, at any depth. */
    private void addOperators(RowsByName.Family[] families, long[] operatorsNs) {
        for (int i = operatorsNs.length - 1; i >= 0; i--) {
            int parent = timeline.parent(firstRow + i);
            if (parent >= 0) {
                operatorsNs[parent - firstRow] += operatorsNs[i];
            }
            if (families[i] != null) {
                families[i].addOperator(operatorsNs[i]);
            }
        }
    }
}
