package io.inferscope.analyzer.tables;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.BitSet;

/**
 * How the rows of one kind lie in each other: which of them is nearest around a row, and whether one of the same name is around it.
 * Both are found in one pass.
 *
 * <p>Parents come before their children, so the nearest row of the kind is the parent, or what is nearest to the parent. And a timeline
 * lists rows such that everything inside a row comes before what is outside of it, so the rows around the current one form a stack; a
 * count per name tells whether a name is on it. Tracks follow each other, and nothing is around the first row of a track.
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

    /** Returns whether a row of the kind lies inside one of its own name. */
    boolean isRecursive(int row) {
        return recursive.get(row);
    }
}
