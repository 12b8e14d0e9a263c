package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Which row of a track is the innermost one at every instant, among the rows of some kinds: the one that started last among those that
 * have not ended. Rows that only overlap are thereby handled too.
 *
 * <pre>
 *   rows       [ scope ............................ ]
 *                 [ operator ......... ]   [ call ]
 *                    [ call ]
 *   innermost  sss oo cccc ooooooooooooo ss cccccc sss
 * </pre>
 */
final class Segments {
    private static final int NOTHING = -1;

    private final Timeline timeline;

    /** Where another row becomes the innermost one, and which; the last entry is the end of the last row. */
    private long[] starts;

    private int[] rows;
    private int count;
    private long lastEndNs = Long.MIN_VALUE;

    Segments(Timeline timeline, int track, Predicate<RowKind> kinds) {
        this.timeline = timeline;
        int capacity = 0;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            capacity +=
                    kinds.test(timeline.kind(row)) ? 2 : 0; // A row comes on top and goes; gaps between rows are few.
        }
        starts = new long[capacity + 1];
        rows = new int[capacity + 1];
        int[] open = new int[64];
        int depth = 0;
        long cursor = Long.MIN_VALUE;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (kinds.test(timeline.kind(row)) && timeline.durationNs(row) > 0) {
                while (depth > 0 && timeline.endNs(open[depth - 1]) <= timeline.startNs(row)) {
                    cursor = emit(cursor, timeline.endNs(open[depth - 1]), open[depth - 1]);
                    depth--;
                }
                if (depth > 0) {
                    emit(cursor, timeline.startNs(row), open[depth - 1]);
                }
                cursor = timeline.startNs(row);
                if (depth == open.length) {
                    open = Arrays.copyOf(open, depth * 2);
                }
                open[depth++] = row;
            }
        }
        while (depth > 0) {
            depth--;
            cursor = emit(cursor, timeline.endNs(open[depth]), open[depth]);
        }
        if (count > 0) {
            add(lastEndNs, NOTHING);
        }
    }

    private long emit(long fromNs, long toNs, int row) {
        long startNs = Math.max(fromNs, timeline.startNs(row));
        if (toNs <= startNs) {
            return Math.max(fromNs, toNs);
        }
        if (count > 0 && lastEndNs < startNs) {
            add(lastEndNs, NOTHING);
        }
        add(startNs, row);
        lastEndNs = toNs;
        return toNs;
    }

    private void add(long startNs, int row) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count + count / 4 + 16);
            rows = Arrays.copyOf(rows, starts.length);
        }
        starts[count] = startNs;
        rows[count++] = row;
    }

    /** Takes a piece of a stretch; {@code row} is -1 where no row is. */
    interface Visitor {
        void piece(long fromNs, long toNs, int row);
    }

    /** Splits {@code [fromNs, toNs)} into pieces, earliest first. */
    void cover(long fromNs, long toNs, Visitor visitor) {
        int found = Arrays.binarySearch(starts, 0, count, fromNs);
        long cursor = fromNs;
        for (int i = found >= 0 ? found : -found - 2; cursor < toNs; i++) {
            long endNs = i + 1 < count ? Math.min(toNs, starts[i + 1]) : toNs;
            visitor.piece(cursor, endNs, i < 0 ? NOTHING : rows[i]);
            cursor = endNs;
        }
    }

    /** Returns when the first row starts, {@link Long#MAX_VALUE} without rows. */
    long startNs() {
        return count == 0 ? Long.MAX_VALUE : starts[0];
    }

    /** Returns when the last row ends, {@link Long#MIN_VALUE} without rows. */
    long endNs() {
        return lastEndNs;
    }
}
