package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Timeline;

/** Finds rows by time among rows that are sorted by their start. */
public final class RowSearch {
    private RowSearch() {}

    /** Returns how many of the first {@code count} rows start no later than {@code ns}. */
    public static int startingBy(Timeline timeline, int[] rows, int count, long ns) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timeline.startNs(rows[middle]) <= ns) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
