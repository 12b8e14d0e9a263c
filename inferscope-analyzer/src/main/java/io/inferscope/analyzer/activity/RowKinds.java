package io.inferscope.analyzer.activity;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which kinds of rows a timeline has, and from when to when, found in one pass. Most questions are about kinds that a trace has none or few of; what has to look at
 * all rows anew for each of them spends more on warming up its loop than on looking.
 */
public final class RowKinds {
    private static final RowKind[] KINDS = RowKind.values();

    /** Of a kind that is a smaller part of all rows than this, the rows are kept. */
    private static final int FEW = 16;

    private final Timeline timeline;
    private final int[] counts = new int[KINDS.length];
    private final long[] firstStarts = new long[KINDS.length];
    private final long[] lastEnds = new long[KINDS.length];
    private final int[] @Nullable [] byKind = new int[KINDS.length] @Nullable [];

    public RowKinds(Timeline timeline) {
        this.timeline = timeline;
        Arrays.fill(firstStarts, Long.MAX_VALUE);
        Arrays.fill(lastEnds, Long.MIN_VALUE);
        for (int row = 0; row < timeline.rowCount(); row++) {
            int kind = timeline.kind(row).ordinal();
            long startNs = timeline.startNs(row);
            counts[kind]++;
            firstStarts[kind] = Math.min(firstStarts[kind], startNs);
            lastEnds[kind] = Math.max(lastEnds[kind], startNs + timeline.durationNs(row));
        }
    }

    public boolean has(RowKind kind) {
        return counts[kind.ordinal()] > 0;
    }

    /** Returns when the first row of some kinds starts, in ns; {@link Long#MAX_VALUE} without any. */
    public long firstStartNs(Predicate<RowKind> wanted) {
        return Arrays.stream(KINDS)
                .filter(wanted)
                .mapToLong(kind -> firstStarts[kind.ordinal()])
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns when the last row of some kinds ends, in ns; {@link Long#MIN_VALUE} without any. */
    public long lastEndNs(Predicate<RowKind> wanted) {
        return Arrays.stream(KINDS)
                .filter(wanted)
                .mapToLong(kind -> lastEnds[kind.ordinal()])
                .max()
                .orElse(Long.MIN_VALUE);
    }

    /** Returns the rows of a kind, ascending. Several rules ask for those of a kind that there are few of among millions. */
    public int[] rows(RowKind wanted) {
        int[] known = byKind[wanted.ordinal()];
        if (known == null) {
            known = rows(kind -> kind == wanted);
            if (FEW * known.length < timeline.rowCount()) {
                byKind[wanted.ordinal()] = known;
            }
        }
        return known.clone();
    }

    /** Returns the rows of some kinds, ascending. */
    public int[] rows(Predicate<RowKind> wanted) {
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
