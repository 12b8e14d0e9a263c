package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Disjoint intervals in which one thread waited, or may have waited, such as the union of its hand-overs, each from the
 * begin of the wait to the return.
 */
final class KnownWaits {
    private final long[] startsNs;
    private final long[] endsNs;

    /** For each wait, the total length of the waits before it, in ns. */
    private final long[] earlierNs;

    private KnownWaits(long[] startsNs, long[] endsNs) {
        this.startsNs = startsNs;
        this.endsNs = endsNs;
        earlierNs = new long[startsNs.length];
        for (int i = 1; i < startsNs.length; i++) {
            earlierNs[i] = earlierNs[i - 1] + endsNs[i - 1] - startsNs[i - 1];
        }
    }

    /** Returns the waits that were recorded: those for hand-overs, and those of event loops. */
    static KnownWaits recorded(Timeline timeline, int track) {
        return of(timeline, track, row -> timeline.kind(row) == RowKind.HAND_OVER || isLoops(timeline, row));
    }

    /** Returns whether a row is a wait of an event loop, whose line is that of the task which awaits. */
    static boolean isLoops(Timeline timeline, int row) {
        long activity = timeline.attribute(row, Attribute.ACTIVITY);
        return timeline.kind(row) == RowKind.ANNOTATION
                && (activity == Activity.TIMER.ordinal() || activity == Activity.AWAIT.ordinal());
    }

    /** Returns the union of the rows of a thread that are chosen. */
    static KnownWaits of(Timeline timeline, int track, IntPredicate chosen) {
        long[] starts = new long[16];
        long[] ends = new long[16];
        int last = -1;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.durationNs(row) > 0 && chosen.test(row)) {
                if (last < 0 || timeline.startNs(row) > ends[last]) {
                    if (++last == starts.length) {
                        starts = Arrays.copyOf(starts, 2 * last);
                        ends = Arrays.copyOf(ends, 2 * last);
                    }
                    starts[last] = timeline.startNs(row);
                    ends[last] = starts[last];
                }
                ends[last] = Math.max(ends[last], timeline.endNs(row));
            }
        }
        return new KnownWaits(Arrays.copyOf(starts, last + 1), Arrays.copyOf(ends, last + 1));
    }

    boolean isEmpty() {
        return startsNs.length == 0;
    }

    KnownWaits atLeast(long leastNs) {
        int[] kept = IntStream.range(0, startsNs.length)
                .filter(i -> endsNs[i] - startsNs[i] >= leastNs)
                .toArray();
        return new KnownWaits(
                Arrays.stream(kept).mapToLong(i -> startsNs[i]).toArray(),
                Arrays.stream(kept).mapToLong(i -> endsNs[i]).toArray());
    }

    /** Returns whether a wait begins before {@code timeNs} and ends after it. */
    boolean isInside(long timeNs) {
        return beforeNs(timeNs - 1) < beforeNs(timeNs) && beforeNs(timeNs) < beforeNs(timeNs + 1);
    }

    /** Returns when the first one begins. There must be one. */
    long startNs() {
        return startsNs[0];
    }

    /** Returns when the last one ends. There must be one. */
    long endNs() {
        return endsNs[endsNs.length - 1];
    }

    /** Returns the parts of {@code [fromNs, toNs)} outside all waits. */
    KnownWaits complement(long fromNs, long toNs) {
        long[] starts = new long[startsNs.length + 1];
        long[] ends = new long[startsNs.length + 1];
        int count = 0;
        long cursorNs = fromNs;
        for (int i = 0; i <= startsNs.length; i++) {
            long untilNs = i < startsNs.length ? Math.min(toNs, startsNs[i]) : toNs;
            if (untilNs > cursorNs) {
                starts[count] = cursorNs;
                ends[count++] = untilNs;
            }
            cursorNs = i < startsNs.length ? Math.max(cursorNs, endsNs[i]) : toNs;
        }
        return new KnownWaits(Arrays.copyOf(starts, count), Arrays.copyOf(ends, count));
    }

    /** Returns the parts of these waits that lie outside {@code others}. */
    KnownWaits without(KnownWaits others) {
        if (isEmpty() || others.isEmpty()) {
            return this;
        }
        long[] starts = new long[startsNs.length + others.startsNs.length];
        long[] ends = new long[starts.length];
        int count = 0;
        for (int i = 0; i < startsNs.length; i++) {
            long cursorNs = startsNs[i];
            while (cursorNs < endsNs[i]) {
                boolean inOther = others.beforeNs(cursorNs) < others.beforeNs(cursorNs + 1);
                long edgeNs = Math.min(endsNs[i], others.nextEdgeNs(cursorNs));
                if (!inOther) {
                    starts[count] = cursorNs;
                    ends[count++] = edgeNs;
                }
                cursorNs = edgeNs;
            }
        }
        return new KnownWaits(Arrays.copyOf(starts, count), Arrays.copyOf(ends, count));
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
