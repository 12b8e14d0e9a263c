package io.inferscope.analyzer.graph;

import io.inferscope.analyzer.activity.RowSearch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import java.util.Arrays;

/**
 * The time that a thread was blocked and that another thread may have ended, computed from the recorded states. The
 * blocked time of a state is spread evenly over it. Sleeps and file reads do not count: no other thread ends them.
 */
final class BlockedTime {
    private final Timeline timeline;
    private int[] rows = new int[64];
    private long[] beforeNs = new long[65];
    private int count;

    BlockedTime(Timeline timeline) {
        this.timeline = timeline;
    }

    void clear() {
        count = 0;
    }

    /** Adds a state of the thread; states come in the order of time. */
    void add(int stateRow) {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
            beforeNs = Arrays.copyOf(beforeNs, 2 * count + 1);
        }
        rows[count] = stateRow;
        beforeNs[count + 1] = beforeNs[count] + blockedNs(stateRow);
        count++;
    }

    private long blockedNs(int row) {
        WaitReason reason = WaitReason.of(timeline, row);
        boolean endsByItself = reason == WaitReason.TIMER
                || reason == WaitReason.FILE_IO
                || reason == WaitReason.PAGE_FAULT
                || reason == WaitReason.GIL;
        return endsByItself ? 0 : blockedNs(timeline, row);
    }

    /** Returns how long a thread was neither on a CPU nor runnable in a state, in ns; 0 if not recorded. */
    static long blockedNs(Timeline timeline, int stateRow) {
        return timeline.attribute(stateRow, Attribute.ON_CPU_NS) == Attribute.ABSENT
                ? 0
                : Math.max(
                        0,
                        timeline.durationNs(stateRow)
                                - Math.max(0, timeline.attribute(stateRow, Attribute.ON_CPU_NS))
                                - Math.max(0, timeline.attribute(stateRow, Attribute.RUNNABLE_NS)));
    }

    /** Returns how long the thread was blocked in {@code [fromNs, toNs)}, in ns. */
    long within(long fromNs, long toNs) {
        return toNs <= fromNs ? 0 : before(toNs) - before(fromNs);
    }

    private long before(long ns) {
        int low = RowSearch.startingBy(timeline, rows, count, ns);
        if (low == 0) {
            return 0;
        }
        int row = rows[low - 1];
        long lengthNs = timeline.durationNs(row);
        double part = lengthNs == 0 ? 1 : Math.min(1, (double) (ns - timeline.startNs(row)) / lengthNs);
        return beforeNs[low - 1] + Math.round(part * (beforeNs[low] - beforeNs[low - 1]));
    }
}
