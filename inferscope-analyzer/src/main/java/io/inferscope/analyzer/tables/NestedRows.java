package io.inferscope.analyzer.tables;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The nesting of the rows of one kind: the nearest such row around a row, and whether a row of the same name is around
 * it. Both are found in one pass.
 *
 * <p>Parents precede their children, so the nearest row of the kind is the parent, or the row nearest to the parent. A
 * timeline lists the rows inside a row directly after it, so the rows around the current one form a stack; a count per
 * name shows whether a name is on the stack. It is empty at the first row of each track.
 */
final class NestedRows {
    private final Timeline timeline;
    private final RowKind kind;
    private final int[] rows;
    private final int[] nearest;
    private final BitSet recursive = new BitSet();

    /** Takes the rows of the kind, ascending. */
    NestedRows(Timeline timeline, RowKind kind, int[] rows) {
        this.timeline = timeline;
        this.kind = kind;
        this.rows = rows;
        nearest = new int[rows.length == 0 ? 0 : rows[rows.length - 1] + 1];
        findNearest();
        findRecursive();
    }

    private void findNearest() {
        for (int row = 0; row < nearest.length; row++) {
            int parent = timeline.parent(row);
            nearest[row] = parent < 0 || timeline.kind(parent) == kind ? parent : nearest[parent];
        }
    }

    private void findRecursive() {
        int[] around = new int[64];
        int depth = 0;
        int[] open = new int[timeline.nameCount()];
        for (int row : rows) {
            while (depth > 0 && around[depth - 1] != nearest[row]) {
                open[timeline.nameId(around[--depth])]--;
            }
            recursive.set(row, open[timeline.nameId(row)]++ > 0);
            if (depth == around.length) {
                around = Arrays.copyOf(around, 2 * depth);
            }
            around[depth++] = row;
        }
    }

    /** Returns the nearest row of the kind around a row of the kind, -1 for none. */
    int nearest(int row) {
        return nearest[row];
    }

    /** Returns whether a row of the kind lies inside a row of the same name. */
    boolean isRecursive(int row) {
        return recursive.get(row);
    }
}
