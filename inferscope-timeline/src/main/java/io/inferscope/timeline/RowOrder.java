package io.inferscope.timeline;

import java.util.Arrays;

/**
 * Sorts rows by (track, start, longer first), then by what encloses what, then by name: a total order up to rows that are equal in
 * everything, so that the order in which a source wrote its events does not matter.
 *
 * <p>A stable merge sort of row numbers, because boxing a million of them for {@code List.sort} costs more than the sort. Runs that
 * are already in order, the common case per thread, are merged without being compared again.
 */
final class RowOrder {
    private final RowStore rows;
    private final Names names;

    RowOrder(RowStore rows, Names names) {
        this.rows = rows;
        this.names = names;
    }

    int[] sorted() {
        int[] order = new int[rows.size];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
        int[] scratch = Arrays.copyOf(order, order.length);
        sort(scratch, order, 0, order.length);
        return order;
    }

    private void sort(int[] from, int[] to, int start, int end) {
        if (end - start < 2) {
            return;
        }
        int middle = (start + end) >>> 1;
        sort(to, from, start, middle);
        sort(to, from, middle, end);
        if (compare(from[middle - 1], from[middle]) <= 0) {
            System.arraycopy(from, start, to, start, end - start);
            return;
        }
        int left = start;
        int right = middle;
        for (int i = start; i < end; i++) {
            boolean takeLeft = right >= end || (left < middle && compare(from[left], from[right]) <= 0);
            to[i] = takeLeft ? from[left++] : from[right++];
        }
    }

    private int compare(int a, int b) {
        if (rows.tracks[a] != rows.tracks[b]) {
            return Integer.compare(rows.tracks[a], rows.tracks[b]);
        }
        if (rows.starts[a] != rows.starts[b]) {
            return Long.compare(rows.starts[a], rows.starts[b]);
        }
        if (rows.ends[a] != rows.ends[b]) {
            return Long.compare(rows.ends[b], rows.ends[a]);
        }
        return compareCoincident(a, b);
    }

    private int compareCoincident(int a, int b) {
        if (rows.kinds[a] != rows.kinds[b]) {
            return Byte.compare(rows.kinds[a], rows.kinds[b]);
        }
        int bySequence = Long.compare(rows.get(a, Attribute.SEQUENCE), rows.get(b, Attribute.SEQUENCE));
        if (bySequence != 0) {
            return bySequence;
        }
        int byName = names.text(rows.rowNames[a]).compareTo(names.text(rows.rowNames[b]));
        return byName != 0 ? byName : Long.compare(rows.correlations[a], rows.correlations[b]);
    }
}
