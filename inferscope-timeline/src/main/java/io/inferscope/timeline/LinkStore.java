package io.inferscope.timeline;

import java.util.Arrays;
import java.util.BitSet;

/** Edges in the order they were added. */
final class LinkStore {
    private byte[] kinds = new byte[256];
    private int[] from = new int[256];
    private int[] to = new int[256];
    private byte[] confidences = new byte[256];
    private int size;

    void clear() {
        size = 0;
    }

    void add(LinkKind kind, int fromRow, int toRow, int confidencePercent) {
        if (size == kinds.length) {
            int capacity = size + (size >> 1);
            kinds = Arrays.copyOf(kinds, capacity);
            from = Arrays.copyOf(from, capacity);
            to = Arrays.copyOf(to, capacity);
            confidences = Arrays.copyOf(confidences, capacity);
        }
        kinds[size] = (byte) kind.ordinal();
        from[size] = fromRow;
        to[size] = toRow;
        confidences[size++] = (byte) confidencePercent;
    }

    BitSet targets() {
        BitSet targets = new BitSet();
        for (int i = 0; i < size; i++) {
            targets.set(to[i]);
        }
        return targets;
    }

    /** Returns the edges between rows renumbered by {@code newRow}, sorted by (target, kind, source). */
    Links frozen(int[] newRow) {
        int[] order = byTarget(newRow);
        byte[] newKinds = new byte[size];
        int[] newFrom = new int[size];
        int[] newTo = new int[size];
        byte[] newConfidences = new byte[size];
        for (int i = 0; i < size; i++) {
            newKinds[i] = kinds[order[i]];
            newFrom[i] = newRow[from[order[i]]];
            newTo[i] = newRow[to[order[i]]];
            newConfidences[i] = confidences[order[i]];
        }
        return new Links(newKinds, newFrom, newTo, newConfidences);
    }

    private int[] byTarget(int[] newRow) {
        int[] ends = new int[newRow.length];
        for (int i = 0; i < size; i++) {
            ends[newRow[to[i]]]++;
        }
        for (int i = 1; i < ends.length; i++) {
            ends[i] += ends[i - 1];
        }
        int[] order = new int[size];
        for (int i = size - 1; i >= 0; i--) {
            order[--ends[newRow[to[i]]]] = i;
        }
        for (int i = 1; i < size; i++) { // Few edges share a target.
            for (int j = i; j > 0 && isAfter(order[j - 1], order[j], newRow); j--) {
                int edge = order[j];
                order[j] = order[j - 1];
                order[j - 1] = edge;
            }
        }
        return order;
    }

    private boolean isAfter(int a, int b, int[] newRow) {
        if (to[a] != to[b]) {
            return false;
        }
        return kinds[a] != kinds[b] ? kinds[a] > kinds[b] : newRow[from[a]] > newRow[from[b]];
    }
}
