package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.ByName;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the recorded calls of Python code that recur: of a module that no other module called, or of a function that does the work.
 *
 * <pre>
 *   main.py: serve [...........................................]
 *                    [nn.Module: Model_0 ] [nn.Module: Model_0 ]     outermost modules: passes
 *                      [Layer_0] [Layer_1]   [Layer_0] [Layer_1]     inside: layers
 * </pre>
 */
final class FrameLoops {
    private static final int LEAST_CALLS = 5;
    private static final double LEAST_SHARE = 0.2;

    /** The part of a thread's operator time that the calls of a function must hold to be the loop's body, and not some helper. */
    private static final double HOLDS = 0.8;

    private final Timeline timeline;
    private final int track;
    private final int firstRow;
    private final ByName modules;
    private final ByName passes;

    FrameLoops(Timeline timeline, int track) {
        this.timeline = timeline;
        this.track = track;
        this.firstRow = timeline.firstRow(track);
        this.modules = new ByName(timeline, StepNames::isModule);
        this.passes = new ByName(timeline, name -> StepNames.isPass(StepNames.function(name)));
    }

    /** Calls of one name at one depth of frames, and the time of operators inside them. */
    private static final class Family {
        private final int depth;
        private final String name;
        private final List<Integer> rows = new ArrayList<>();
        private long operatorNs;

        Family(int depth, String name) {
            this.depth = depth;
            this.name = name;
        }
    }

    /** Returns the calls of the outermost module with most time, if they take at least a fifth of {@code windowNs}; else none. */
    List<Integer> modules(long windowNs) {
        Map<Integer, Family> families = new HashMap<>();
        long endNs = Long.MIN_VALUE;
        for (int row = firstRow; row < timeline.endRow(track); row++) {
            boolean outermost = timeline.startNs(row) >= endNs;
            if (outermost && timeline.kind(row) == RowKind.PYTHON_FUNCTION && modules.testRow(row)) {
                endNs = timeline.endNs(row);
                families.computeIfAbsent(timeline.nameId(row), name -> new Family(0, timeline.text(name)))
                        .rows
                        .add(row);
            }
        }
        return longest(List.copyOf(families.values()), windowNs);
    }

    /** Returns the calls of the outermost function that recurs and inside which the thread computes; else none. */
    List<Integer> functions(long windowNs) {
        int size = timeline.endRow(track) - firstRow;
        int[] depths = new int[size];
        Family[] families = new Family[size];
        Map<Long, Family> known = new HashMap<>();
        long passEndNs = Long.MIN_VALUE;
        long operatorEndNs = Long.MIN_VALUE;
        long operatorNs = 0;
        for (int row = firstRow; row < timeline.endRow(track); row++) {
            int parent = timeline.parent(row);
            depths[row - firstRow] = parent < 0 ? 0 : depths[parent - firstRow];
            if (timeline.kind(row) == RowKind.PYTHON_FUNCTION) {
                int depth = ++depths[row - firstRow];
                if (timeline.startNs(row) >= passEndNs) {
                    int name = timeline.nameId(row);
                    Family family = known.computeIfAbsent(
                            (long) depth << 32 | name, key -> new Family(depth, timeline.text(name)));
                    family.rows.add(row);
                    families[row - firstRow] = family;
                    passEndNs = modules.testRow(row) || passes.testRow(row) ? timeline.endNs(row) : passEndNs;
                }
            } else if (timeline.kind(row) == RowKind.OPERATOR && timeline.startNs(row) >= operatorEndNs) {
                operatorEndNs = timeline.endNs(row);
                operatorNs += timeline.durationNs(row);
                addOperator(row, families);
            }
        }
        long leastNs = Math.max(1, (long) (HOLDS * operatorNs));
        return longest(
                known.values().stream()
                        .filter(family -> family.operatorNs >= leastNs)
                        .toList(),
                windowNs);
    }

    private void addOperator(int row, Family[] families) {
        for (int at = timeline.parent(row); at >= 0; at = timeline.parent(at)) {
            Family family = families[at - firstRow];
            if (family != null) {
                family.operatorNs += timeline.durationNs(row);
            }
        }
    }

    /** Returns the rows of the family at the least depth, of several the longest. */
    private List<Integer> longest(List<Family> families, long windowNs) {
        return families.stream()
                .filter(f -> f.rows.size() >= LEAST_CALLS && lengthNs(f) >= LEAST_SHARE * windowNs)
                .min(Comparator.<Family>comparingInt(f -> f.depth)
                        .thenComparing(f -> -lengthNs(f))
                        .thenComparing(f -> f.name))
                .map(f -> f.rows)
                .orElse(List.of());
    }

    private long lengthNs(Family family) {
        return family.rows.stream().mapToLong(timeline::durationNs).sum();
    }
}
