package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.function.Predicate;

/**
 * Which kinds of rows a timeline has, counted once. Most questions are about kinds that a trace has none or few of; what has to look at
 * all rows anew for each of them spends more on warming up its loop than on looking.
 */
final class RowKinds {
    private static final RowKind[] KINDS = RowKind.values();

    private final Timeline timeline;
    private final int[] counts = new int[KINDS.length];

    RowKinds(Timeline timeline) {
        this.timeline = timeline;
        for (int row = 0; row < timeline.rowCount(); row++) {
            counts[timeline.kind(row).ordinal()]++;
        }
    }

    boolean has(RowKind kind) {
        return counts[kind.ordinal()] > 0;
    }

    /** Returns the rows of some kinds, ascending. */
    int[] rows(Predicate<RowKind> wanted) {
        boolean[] kinds = new boolean[KINDS.length];
        int total = 0;
        for (RowKind kind : KINDS) {
            kinds[kind.ordinal()] = wanted.test(kind);
            total += kinds[kind.ordinal()] ? counts[kind.ordinal()] : 0;
        }
        int[] rows = new int[total];
        int count = 0;
        for (int row = 0; count < total; row++) {
            if (kinds[timeline.kind(row).ordinal()]) {
                rows[count++] = row;
            }
        }
        return rows;
    }
}
