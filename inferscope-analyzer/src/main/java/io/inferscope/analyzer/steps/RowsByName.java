package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.RangeCalls;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A thread's rows by name and depth of nesting. The rows of one such family may be the iterations of a loop. */
final class RowsByName {
    private static final int LEAST_TURNS = 5;

    /** Least share of the window that a loop takes. */
    private static final double LEAST_SHARE = 0.2;

    private final Timeline timeline;
    private final RangeCalls calls;
    private final Map<Long, Family> known = new HashMap<>();

    RowsByName(Timeline timeline, RangeCalls calls) {
        this.timeline = timeline;
        this.calls = calls;
    }

    /** Rows of one name at one depth, and the time of operators inside them if requested. */
    static final class Family {
        private final int depth;
        private final String name;
        private final List<Integer> rows = new ArrayList<>();
        private long operatorNs;

        private Family(int depth, String name) {
            this.depth = depth;
            this.name = name;
        }

        void addOperator(long ns) {
            operatorNs += ns;
        }

        long operatorNs() {
            return operatorNs;
        }
    }

    /** Puts a row into its family and returns that. */
    Family add(int depth, int row) {
        int name = timeline.nameId(row);
        Family family = known.computeIfAbsent((long) depth << 32 | name, key -> new Family(depth, timeline.text(name)));
        family.rows.add(row);
        return family;
    }

    /**
     * Returns the rows of the wanted family at the least depth that recurs often and takes at least a fifth of {@code
     * windowNs}; of several at that depth, the longest. Empty without such a family.
     */
    List<Integer> longest(Predicate<Family> wanted, long windowNs) {
        return known.values().stream()
                .filter(wanted)
                .filter(f -> f.rows.size() >= LEAST_TURNS && lengthNs(calls, f.rows) >= LEAST_SHARE * windowNs)
                .min((a, b) -> {
                    int order = Integer.compare(a.depth, b.depth);
                    order = order != 0 ? order : Long.compare(lengthNs(calls, b.rows), lengthNs(calls, a.rows));
                    return order != 0 ? order : a.name.compareTo(b.name);
                })
                .map(f -> f.rows)
                .orElse(List.of());
    }

    /** Returns the sum of the durations of calls, in ns. */
    static long lengthNs(RangeCalls calls, List<Integer> rows) {
        return rows.stream().mapToLong(calls::durationNs).sum();
    }
}
