package io.inferscope.timeline;

import java.util.Arrays;

/** Finds, for each row, the innermost row of its track that encloses it. */
final class Nesting {
    private Nesting() {}

    /**
     * Returns the parent row of each row, -1 for none. Rows come sorted by (track, start, longer first). A row that only overlaps
     * another one is not its child: it gets the innermost row that encloses all of it. Zero-length rows and thread states enclose nothing.
     */
    static int[] parents(Timeline.Columns columns, int[] firstRows) {
        int[] parents = new int[columns.starts().length];
        Arrays.fill(parents, -1);
        int[] open = new int[64];
        for (int track = 0; track + 1 < firstRows.length; track++) {
            int depth = 0;
            for (int row = firstRows[track]; row < firstRows[track + 1]; row++) {
                while (depth > 0 && columns.ends()[open[depth - 1]] <= columns.starts()[row]) {
                    depth--;
                }
                int candidate = depth - 1;
                while (candidate >= 0 && columns.ends()[open[candidate]] < columns.ends()[row]) {
                    candidate--;
                }
                parents[row] = candidate < 0 ? -1 : open[candidate];
                if (columns.ends()[row] > columns.starts()[row]
                        && columns.kinds()[row] != (byte) RowKind.THREAD_STATE.ordinal()) {
                    if (depth == open.length) {
                        open = Arrays.copyOf(open, depth * 2);
                    }
                    open[depth++] = row;
                }
            }
        }
        return parents;
    }
}
