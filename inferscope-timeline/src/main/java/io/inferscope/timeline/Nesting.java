package io.inferscope.timeline;

import java.util.Arrays;

/** Finds, for each row, the innermost row of its track that encloses it. */
final class Nesting {
    private Nesting() {}

    /**
     * Returns the parent row of each row, -1 for none. Rows come sorted by (track, start, longer first). A row that
     * only overlaps another one is not its child: it gets the innermost row that encloses all of it. Zero-length rows,
     * thread states, stack samples and hand-overs enclose nothing: a sample observed only one instant of its time.
     *
     * <p>A new row replaces every open row that ends before it does: it encloses all later rows that those would
     * enclose. So the ends of open rows ascend from the innermost outwards, and each row is examined only a few times.
     */
    static int[] parents(Timeline.Columns columns, int[] firstRows) {
        int[] parents = new int[columns.size()];
        Arrays.fill(parents, -1);
        int[] open = new int[64];
        long[] ends = new long[open.length];
        for (int track = 0; track + 1 < firstRows.length; track++) {
            int depth = 0;
            for (int row = firstRows[track]; row < firstRows[track + 1]; row++) {
                long startNs = columns.start(row);
                long endNs = startNs + columns.durations().get(row);
                while (depth > 0 && ends[depth - 1] <= startNs) {
                    depth--;
                }
                int candidate = enclosing(ends, depth, endNs);
                parents[row] = candidate < 0 ? -1 : open[candidate];
                if (endNs > startNs && encloses(columns.kinds()[row])) {
                    depth = candidate + 1;
                    if (depth == open.length) {
                        open = Arrays.copyOf(open, depth * 2);
                        ends = Arrays.copyOf(ends, depth * 2);
                    }
                    ends[depth] = endNs;
                    open[depth++] = row;
                }
            }
        }
        return parents;
    }

    static boolean encloses(byte kind) {
        return kind != (byte) RowKind.THREAD_STATE.ordinal()
                && kind != (byte) RowKind.STACK_SAMPLE.ordinal()
                && kind != (byte) RowKind.HAND_OVER.ordinal();
    }

    /**
     * Returns the position of the innermost open row that does not end before {@code endNs}, -1 for none; mostly the
     * innermost.
     */
    private static int enclosing(long[] ends, int depth, long endNs) {
        if (depth > 0 && ends[depth - 1] >= endNs) {
            return depth - 1;
        }
        int low = 0;
        int high = depth;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] >= endNs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }
}
