package io.inferscope.analyzer.activity;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/** When one thread is known to have waited: the union of its hand-overs, each from the begin of the wait to the return. */
final class KnownWaits {
    private final long[] startsNs;
    private final long[] endsNs;

    /** How long the waits before each one are, together. */
    private final long[] earlierNs;

    KnownWaits(Timeline timeline, int track, int most) {
        long[] starts = new long[most];
        long[] ends = new long[most];
        int last = -1;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.kind(row) == RowKind.HAND_OVER && timeline.durationNs(row) > 0) {
                if (last < 0 || timeline.startNs(row) > ends[last]) {
                    starts[++last] = timeline.startNs(row);
                    ends[last] = starts[last];
                }
                ends[last] = Math.max(ends[last], timeline.endNs(row));
            }
        }
        startsNs = Arrays.copyOf(starts, last + 1);
        endsNs = Arrays.copyOf(ends, last + 1);
        earlierNs = new long[last + 1];
        for (int i = 1; i <= last; i++) {
            earlierNs[i] = earlierNs[i - 1] + endsNs[i - 1] - startsNs[i - 1];
        }
    }

    /** Returns how long the thread waited before {@code timeNs}, in ns. */
    long beforeNs(long timeNs) {
        int last = firstStartingAfter(timeNs) - 1;
        return last < 0 ? 0 : earlierNs[last] + Math.min(timeNs, endsNs[last]) - startsNs[last];
    }

    /** Returns when a wait next begins or ends after {@code timeNs}; the end of time when none does. */
    long nextEdgeNs(long timeNs) {
        int next = firstStartingAfter(timeNs);
        if (next > 0 && timeNs < endsNs[next - 1]) {
            return endsNs[next - 1];
        }
        return next < startsNs.length ? startsNs[next] : Long.MAX_VALUE;
    }

    private int firstStartingAfter(long timeNs) {
        int found = Arrays.binarySearch(startsNs, timeNs);
        return found >= 0 ? found + 1 : -found - 1;
    }
}
