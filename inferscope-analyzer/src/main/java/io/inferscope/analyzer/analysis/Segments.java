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
    private final Timeline timeline;
    private long[] starts = new long[64];
    private long[] ends = new long[64];
    private int[] rows = new int[64];
    private int count;

    Segments(Timeline timeline, int track, Predicate<RowKind> kinds) {
        this.timeline = timeline;
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
    }

    private long emit(long fromNs, long toNs, int row) {
        long startNs = Math.max(fromNs, timeline.startNs(row));
        if (toNs <= startNs) {
            return Math.max(fromNs, toNs);
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            ends = Arrays.copyOf(ends, count * 2);
            rows = Arrays.copyOf(rows, count * 2);
        }
        starts[count] = startNs;
        ends[count] = toNs;
        rows[count++] = row;
        return toNs;
    }

    /** Takes a piece of a stretch; {@code row} is -1 where no row is. */
    interface Visitor {
        void piece(long fromNs, long toNs, int row);
    }

    /** Splits {@code [fromNs, toNs)} into pieces, earliest first. */
    void cover(long fromNs, long toNs, Visitor visitor) {
        if (toNs <= fromNs) {
            return;
        }
        int found = Arrays.binarySearch(starts, 0, count, fromNs);
        long cursor = fromNs;
        for (int i = found >= 0 ? found : Math.max(0, -found - 2); i < count && starts[i] < toNs; i++) {
            long startNs = Math.max(cursor, starts[i]);
            long endNs = Math.min(toNs, ends[i]);
            if (endNs > startNs) {
                if (startNs > cursor) {
                    visitor.piece(cursor, startNs, -1);
                }
                visitor.piece(startNs, endNs, rows[i]);
                cursor = endNs;
            }
        }
        if (toNs > cursor) {
            visitor.piece(cursor, toNs, -1);
        }
    }

    /** Returns when the first row starts, {@link Long#MAX_VALUE} without rows. */
    long startNs() {
        return count == 0 ? Long.MAX_VALUE : starts[0];
    }

    /** Returns when the last row ends, {@link Long#MIN_VALUE} without rows. */
    long endNs() {
        return count == 0 ? Long.MIN_VALUE : ends[count - 1];
    }
}
