package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * How the rows of one kind on one track lie in each other: which of them is nearest around a row, and whether one of the same name is
 * around it. Both are found in one pass.
 *
 * <p>Parents come before their children, so the nearest row of the kind is the parent, or what is nearest to the parent. And a timeline
 * lists rows such that everything inside a row comes before what is outside of it, so the rows around the current one form a stack; a
 * count per name tells whether a name is on it.
 */
final class NestedRows {
    private final Timeline timeline;
    private final RowKind kind;
    private final int firstRow;
    private final int[] nearest;
    private final BitSet recursive = new BitSet();

    NestedRows(Timeline timeline, RowKind kind, int track) {
        this.timeline = timeline;
        this.kind = kind;
        firstRow = timeline.firstRow(track);
        nearest = new int[timeline.endRow(track) - firstRow];
        Arrays.fill(nearest, -1);
        findNearest();
        findRecursive();
    }

    private void findNearest() {
        for (int i = 0; i < nearest.length; i++) {
            int parent = timeline.parent(firstRow + i);
            if (parent >= 0) {
                nearest[i] = timeline.kind(parent) == kind ? parent : nearest(parent);
            }
        }
    }

    private void findRecursive() {
        Deque<Integer> around = new ArrayDeque<>();
        Map<Integer, Integer> names = new HashMap<>();
        for (int i = 0; i < nearest.length; i++) {
            if (timeline.kind(firstRow + i) == kind) {
                while (!around.isEmpty() && around.element() != nearest[i]) {
                    names.merge(timeline.nameId(around.pop()), -1, Integer::sum);
                }
                int name = timeline.nameId(firstRow + i);
                recursive.set(i, names.getOrDefault(name, 0) > 0);
                around.push(firstRow + i);
                names.merge(name, 1, Integer::sum);
            }
        }
    }

    /** Returns the nearest row of the kind around a row of the track, -1 for none. */
    int nearest(int row) {
        return nearest[row - firstRow];
    }

    /** Returns whether a row of the kind lies inside one of its own name. */
    boolean isRecursive(int row) {
        return recursive.get(row - firstRow);
    }
}
