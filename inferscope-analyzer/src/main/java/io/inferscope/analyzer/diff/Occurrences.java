package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The durations of all rows of some kind, by name. A row inside one of the same name is a part of it and does not count. */
final class Occurrences {
    private Occurrences() {}

    /**
     * Returns durations by name, in the order of the names.
     *
     * @param stretch when they start
     * @param rename what to call a name; names that become the same are put together
     */
    static Map<String, Durations> of(
            Timeline timeline, Stretch stretch, Predicate<RowKind> kind, UnaryOperator<String> rename) {
        @Nullable Durations[] byId = new @Nullable Durations[timeline.nameCount()];
        Map<String, Durations> byName = new TreeMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            boolean within = timeline.startNs(row) >= stretch.startNs() && timeline.startNs(row) < stretch.endNs();
            if (within && kind.test(timeline.kind(row)) && !isRecursive(timeline, row)) {
                int id = timeline.nameId(row);
                Durations durations = byId[id];
                if (durations == null) {
                    durations =
                            byName.computeIfAbsent(rename.apply(timeline.text(id)), name -> new Durations(timeline));
                    byId[id] = durations;
                }
                durations.add(row);
            }
        }
        return byName;
    }

    /** Rows of a stream overlap without being parts of each other. */
    private static boolean isRecursive(Timeline timeline, int row) {
        if (timeline.tracks().get(timeline.track(row)).kind() != TrackKind.THREAD) {
            return false;
        }
        for (int outer = timeline.parent(row); outer >= 0; outer = timeline.parent(outer)) {
            if (timeline.nameId(outer) == timeline.nameId(row) && timeline.kind(outer) == timeline.kind(row)) {
                return true;
            }
        }
        return false;
    }
}
