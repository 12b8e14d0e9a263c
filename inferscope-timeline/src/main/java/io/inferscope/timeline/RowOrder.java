package io.inferscope.timeline;

import java.util.Arrays;

/**
 * Sorts rows by (track, start, longer first), then by nesting order (kind, then sequence), then by name. This is a
 * total order except for rows equal in everything, so the order in which a source wrote its events does not matter.
 *
 * <p>Rows are first distributed to tracks by counting. A track consists of runs that are in order: one, the common
 * case, or a few, such as the operators of a thread and then its Python functions. Neighbouring runs are merged where
 * they overlap.
 */
final class RowOrder {
    private final RowStore rows;
    private final Names names;
    private int[] runs = new int[64];
    private int[] left = new int[0];

    RowOrder(RowStore rows, Names names) {
        this.rows = rows;
        this.names = names;
    }

    /**
     * Returns row numbers in order.
     *
     * @param newTrackId the tracks' numbers, by which they are ordered
     * @param firstRows where each track begins in that order
     */
    int[] sorted(int[] newTrackId, int[] firstRows) {
        int[] next = firstRows.clone();
        int[] order = new int[rows.size()];
        for (int row = 0; row < order.length; row++) {
            order[next[newTrackId[rows.track(row)]]++] = row;
        }
        for (int track = 0; track < newTrackId.length; track++) {
            sort(order, firstRows[track], firstRows[track + 1]);
        }
        return order;
    }

    private void sort(int[] order, int start, int end) {
        int count = findRuns(order, start, end);
        while (count > 1) {
            int merged = 0;
            for (int run = 0; run < count; run += 2) {
                if (run + 1 < count) {
                    merge(order, runs[run], runs[run + 1], run + 2 < count ? runs[run + 2] : end);
                }
                runs[merged++] = runs[run];
            }
            count = merged;
        }
    }

    /** Notes where each run begins; returns how many there are. */
    private int findRuns(int[] order, int start, int end) {
        int count = 1;
        runs[0] = start;
        long before = start < end ? rows.start(order[start]) : 0;
        for (int i = start + 1; i < end; i++) {
            long here = rows.start(order[i]);
            if (isAfter(order[i - 1], before, order[i], here)) {
                if (count == runs.length) {
                    runs = Arrays.copyOf(runs, count * 2);
                }
                runs[count++] = i;
            }
            before = here;
        }
        return count;
    }

    /**
     * Merges two runs in place: the part of the first run that sorts after the begin of the second is moved aside
     * first.
     */
    private void merge(int[] order, int start, int middle, int end) {
        int to = firstAfter(order, start, middle);
        int count = middle - to;
        if (count == 0) {
            return;
        }
        if (left.length < count) {
            left = new int[count];
        }
        System.arraycopy(order, to, left, 0, count);
        int first = 0;
        int second = middle;
        long firstNs = rows.start(left[first]);
        long secondNs = rows.start(order[second]);
        while (true) {
            if (isAfter(left[first], firstNs, order[second], secondNs)) {
                order[to++] = order[second++];
                if (second == end) {
                    System.arraycopy(left, first, order, to, count - first);
                    return;
                }
                secondNs = rows.start(order[second]);
            } else {
                order[to++] = left[first++];
                if (first == count) {
                    return;
                }
                firstNs = rows.start(left[first]);
            }
        }
    }

    /**
     * Returns the first position from {@code start} on whose row is after the one at {@code middle}, {@code middle} if
     * none is.
     */
    private int firstAfter(int[] order, int start, int middle) {
        long limitNs = rows.start(order[middle]);
        int low = start;
        int high = middle;
        while (low < high) {
            int at = (low + high) >>> 1;
            if (isAfter(order[at], rows.start(order[at]), order[middle], limitNs)) {
                high = at;
            } else {
                low = at + 1;
            }
        }
        return low;
    }

    private boolean isAfter(int a, long startA, int b, long startB) {
        return startA != startB ? startA > startB : compareSameStart(a, b) > 0;
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
