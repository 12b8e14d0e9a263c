package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The rows of one name. A row inside one of the same name is a part of it and does not count. */
final class Occurrences {
    private final Timeline timeline;
    private int[] rows = new int[4];
    private int size;
    private long totalNs;

    private Occurrences(Timeline timeline) {
        this.timeline = timeline;
    }

    /**
     * Returns durations by name, in the order of the names.
     *
     * @param stretch when they start
     * @param rename maps a name; rows with equal results are put together
     */
    static Map<String, Durations> of(
            Timeline timeline, Stretch stretch, Predicate<RowKind> kind, UnaryOperator<String> rename) {
        @Nullable Occurrences[] byId = new @Nullable Occurrences[timeline.nameCount()];
        Map<String, Occurrences> byName = new TreeMap<>();
        Nest nest = new Nest(timeline);
        for (int row = 0; row < timeline.rowCount(); row++) {
            boolean recursive = nest.isRecursive(row);
            boolean within = stretch.holds(timeline.startNs(row));
            if (within && kind.test(timeline.kind(row)) && !timeline.isCaptured(row) && !recursive) {
                int id = timeline.nameId(row);
                Occurrences of = byId[id];
                if (of == null) {
                    of = byName.computeIfAbsent(rename.apply(timeline.text(id)), name -> new Occurrences(timeline));
                    byId[id] = of;
                }
                of.add(row);
            }
        }
        Map<String, Durations> durations = new TreeMap<>();
        byName.forEach((name, of) -> durations.put(name, new Durations(of.size, of.totalNs, of::inTimeOrderNs)));
        return durations;
    }

    private void add(int row) {
        if (size == rows.length) {
            rows = Arrays.copyOf(rows, size * 2);
        }
        rows[size++] = row;
        totalNs += timeline.durationNs(row);
    }

    private long[] inTimeOrderNs() {
        int[] ordered = Arrays.copyOf(rows, size);
        if (size > 0 && timeline.track(ordered[0]) != timeline.track(ordered[size - 1])) {
            ordered = Arrays.stream(ordered)
                    .boxed()
                    .sorted(Order.<Integer>comparingLong(timeline::startNs).thenComparingLong(timeline::endNs))
                    .mapToInt(Integer::intValue)
                    .toArray();
        }
        return Arrays.stream(ordered).mapToLong(timeline::durationNs).toArray();
    }

    /**
     * Finds rows inside rows of the same kind and name, asked for each row in order. The rows around the current one form a stack, and a count per
     * kind and name shows what is on it: to walk outwards from each row would take its depth. Rows of a stream overlap without being parts of each
     * other.
     */
    private static final class Nest {
        private final Timeline timeline;
        private final int[] @Nullable [] open = new int[RowKind.values().length] @Nullable [];
        private int[] around = new int[64];
        private int depth;

        Nest(Timeline timeline) {
            this.timeline = timeline;
        }

        boolean isRecursive(int row) {
            if (!timeline.mayEnclose(row)
                    || timeline.tracks().get(timeline.track(row)).kind() != TrackKind.THREAD) {
                return false;
            }
            int parent = timeline.parent(row);
            while (depth > 0 && around[depth - 1] != parent) {
                depth--;
                open(around[depth])[timeline.nameId(around[depth])]--;
            }
            if (depth == around.length) {
                around = Arrays.copyOf(around, 2 * depth);
            }
            around[depth++] = row;
            return open(row)[timeline.nameId(row)]++ > 0;
        }

        private int[] open(int row) {
            int kind = timeline.kind(row).ordinal();
            int[] known = open[kind];
            if (known == null) {
                known = new int[timeline.nameCount()];
                open[kind] = known;
            }
            return known;
        }
    }
}
