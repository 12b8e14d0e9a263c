package io.inferscope.timeline;

import java.util.Arrays;

/**
 * Sorts rows by (track, start, longer first), then by nesting order (kind, then sequence), then by name. This is a
 * total order except for rows equal in everything, so the order in which a source wrote its events does not matter.
 *
 * <p>Rows are first distributed to tracks by counting. A track already in order, the common case, costs one comparison
 * per row. Otherwise its row numbers are merge-sorted together with their starts, which are then adjacent in memory.
 * Runs in order are copied without further comparisons.
 */
final class RowOrder {
    private final RowStore rows;
    private final Names names;
    private long[] keys = new long[0];
    private long[] otherKeys = new long[0];

    RowOrder(RowStore rows, Names names) {
        this.rows = rows;
        this.names = names;
    }

    /**
     * Returns row numbers in order.
     *
     * @param newTrackId the position of each track in the order
     */
    int[] sorted(int[] newTrackId) {
        int[] ends = new int[newTrackId.length];
        for (int row = 0; row < rows.size(); row++) {
            ends[newTrackId[rows.track(row)]]++;
        }
        for (int i = 1; i < ends.length; i++) {
            ends[i] += ends[i - 1];
        }
        int[] order = new int[rows.size()];
        for (int row = rows.size() - 1; row >= 0; row--) {
            order[--ends[newTrackId[rows.track(row)]]] = row;
        }
        int[] scratch = new int[0];
        for (int track = 0; track < ends.length; track++) {
            int start = ends[track];
            int end = track + 1 < ends.length ? ends[track + 1] : order.length;
            if (!isSorted(order, start, end)) {
                if (scratch.length < end - start) {
                    scratch = new int[end - start];
                    keys = new long[end - start];
                    otherKeys = new long[end - start];
                }
                sortTrack(order, scratch, start, end);
            }
        }
        return order;
    }

    private boolean isSorted(int[] order, int start, int end) {
        for (int i = start + 1; i < end; i++) {
            long before = rows.start(order[i - 1]);
            long here = rows.start(order[i]);
            if (before > here || (before == here && compareSameStart(order[i - 1], order[i]) > 0)) {
                return false;
            }
        }
        return true;
    }

    private void sortTrack(int[] order, int[] scratch, int start, int end) {
        int length = end - start;
        int[] slice = Arrays.copyOfRange(order, start, end);
        for (int i = 0; i < length; i++) {
            keys[i] = rows.start(slice[i]);
        }
        System.arraycopy(slice, 0, scratch, 0, length);
        System.arraycopy(keys, 0, otherKeys, 0, length);
        sort(scratch, otherKeys, slice, keys, 0, length);
        System.arraycopy(slice, 0, order, start, length);
    }

    private void sort(int[] from, long[] fromKeys, int[] to, long[] toKeys, int start, int end) {
        if (end - start < 2) {
            return;
        }
        int middle = (start + end) >>> 1;
        sort(to, toKeys, from, fromKeys, start, middle);
        sort(to, toKeys, from, fromKeys, middle, end);
        if (!isAfter(from, fromKeys, middle - 1, middle)) {
            System.arraycopy(from, start, to, start, end - start);
            System.arraycopy(fromKeys, start, toKeys, start, end - start);
            return;
        }
        int left = start;
        int right = middle;
        for (int i = start; i < end; i++) {
            boolean takeLeft = right >= end || (left < middle && !isAfter(from, fromKeys, left, right));
            int taken = takeLeft ? left++ : right++;
            to[i] = from[taken];
            toKeys[i] = fromKeys[taken];
        }
    }

    private boolean isAfter(int[] order, long[] orderKeys, int a, int b) {
        return orderKeys[a] != orderKeys[b] ? orderKeys[a] > orderKeys[b] : compareSameStart(order[a], order[b]) > 0;
    }

    private int compareSameStart(int a, int b) {
        int byEnd = Long.compare(rows.end(b), rows.end(a));
        if (byEnd != 0) {
            return byEnd;
        }
        if (rows.kind(a) != rows.kind(b)) {
            return Integer.compare(rows.kind(a), rows.kind(b));
        }
        int bySequence = Long.compare(rows.get(a, Attribute.SEQUENCE), rows.get(b, Attribute.SEQUENCE));
        if (bySequence != 0) {
            return bySequence;
        }
        int byName = names.text(rows.name(a)).compareTo(names.text(rows.name(b)));
        return byName != 0 ? byName : Long.compare(rows.correlation(a), rows.correlation(b));
    }
}
