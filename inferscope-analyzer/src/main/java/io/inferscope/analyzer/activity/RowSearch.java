package io.inferscope.analyzer.activity;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Timeline;

/** Finds rows by time among rows that are sorted by their start. */
public final class RowSearch {
    private RowSearch() {}

    /** Returns how many of the first {@code count} rows start no later than {@code ns}. */
    public static int startingBy(Timeline timeline, int[] rows, int count, long ns) {
        return BinarySearch.first(0, count, i -> timeline.startNs(rows[i]) > ns);
    }
}
