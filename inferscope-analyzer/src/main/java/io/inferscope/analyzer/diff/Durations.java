package io.inferscope.analyzer.diff;

import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.Comparator;

/** How often something happened and how long it took. */
final class Durations {
    private final Timeline timeline;
    private int[] rows = new int[4];
    private int size;
    private long totalNs;

    Durations(Timeline timeline) {
        this.timeline = timeline;
    }

    void add(int row) {
        if (size == rows.length) {
            rows = Arrays.copyOf(rows, size * 2);
        }
        rows[size++] = row;
        totalNs += timeline.durationNs(row);
    }

    int count() {
        return size;
    }

    long totalNs() {
        return totalNs;
    }

    /** Returns every duration in ns, in the order of time whatever the order of the tracks. */
    long[] inTimeOrder() {
        int[] ordered = Arrays.copyOf(rows, size);
        if (size > 0 && timeline.track(ordered[0]) != timeline.track(ordered[size - 1])) {
            ordered = Arrays.stream(ordered)
                    .boxed()
                    .sorted(Comparator.<Integer>comparingLong(timeline::startNs).thenComparingLong(timeline::endNs))
                    .mapToInt(Integer::intValue)
                    .toArray();
        }
        return Arrays.stream(ordered).mapToLong(timeline::durationNs).toArray();
    }
}
