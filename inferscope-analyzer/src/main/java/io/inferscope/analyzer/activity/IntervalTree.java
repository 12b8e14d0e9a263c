package io.inferscope.analyzer.activity;

import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Half-open spans of time with ids. Finds the spans that overlap an interval without examining all of them: sorted by
 * start, their positions form a balanced tree in which each node stores the latest end of its subtree. A search costs
 * at most the logarithm of the number of spans for each span found.
 */
public final class IntervalTree {
    private final int[] ids;
    private final long[] startsNs;
    private final long[] endsNs;

    /** By position: the latest end of all spans in the subtree of that root. */
    private final long[] latestNs;

    private IntervalTree(int[] ids, long[] startsNs, long[] endsNs) {
        this.ids = ids;
        this.startsNs = startsNs;
        this.endsNs = endsNs;
        this.latestNs = new long[ids.length];
        if (ids.length > 0) {
            latest(0, ids.length);
        }
    }

    private long latest(int from, int to) {
        int root = (from + to) >>> 1;
        long latest = endsNs[root];
        if (from < root) {
            latest = Math.max(latest, latest(from, root));
        }
        if (root + 1 < to) {
            latest = Math.max(latest, latest(root + 1, to));
        }
        latestNs[root] = latest;
        return latest;
    }

    /**
     * Passes the ids of the spans that overlap {@code [fromNs, toNs)} to {@code found}, in the order of their starts.
     */
    public void meeting(long fromNs, long toNs, IntConsumer found) {
        meetingUntil(Long.MIN_VALUE, fromNs, toNs, id -> {
            found.accept(id);
            return false;
        });
    }

    /**
     * The same for spans that start at {@code leastNs} or later, until {@code last} returns true.
     */
    void meetingUntil(long leastNs, long fromNs, long toNs, IntPredicate last) {
        meetingUntil(leastNs, fromNs, toNs, 0, ids.length, last);
    }

    /** Returns whether {@code last} returned true. */
    private boolean meetingUntil(long leastNs, long fromNs, long toNs, int from, int to, IntPredicate last) {
        int root = (from + to) >>> 1;
        if (from >= to || latestNs[root] <= fromNs) {
            return false;
        }
        boolean counts = startsNs[root] >= leastNs; // If not, nothing left of it does.
        if (counts && meetingUntil(leastNs, fromNs, toNs, from, root, last)) {
            return true;
        }
        if (startsNs[root] >= toNs) {
            return false;
        }
        return (counts && endsNs[root] > fromNs && last.test(ids[root]))
                || meetingUntil(leastNs, fromNs, toNs, root + 1, to, last);
    }

    /** Returns whether any span overlaps {@code [fromNs, toNs)}. */
    public boolean meet(long fromNs, long toNs) {
        int from = 0;
        int to = ids.length;
        while (from < to) {
            int root = (from + to) >>> 1;
            if (latestNs[root] <= fromNs) {
                return false;
            }
            if (startsNs[root] < toNs && endsNs[root] > fromNs) {
                return true;
            }
            // If a span left of the root ends after the interval's begin, it overlaps the interval if it starts before
            // the interval's end.
            int left = (from + root) >>> 1;
            boolean toLeft = startsNs[root] >= toNs || (from < root && latestNs[left] > fromNs);
            from = toLeft ? from : root + 1;
            to = toLeft ? root : to;
        }
        return false;
    }

    /** Collects spans in any order. */
    public static final class Builder {
        private int[] ids = new int[16];
        private long[] startsNs = new long[16];
        private long[] endsNs = new long[16];
        private int count;
        private boolean sorted = true;

        /** Adds a span. Those that start together stay in the order in which they were added. */
        public Builder add(int id, long startNs, long endNs) {
            if (count == ids.length) {
                ids = Arrays.copyOf(ids, 2 * count);
                startsNs = Arrays.copyOf(startsNs, 2 * count);
                endsNs = Arrays.copyOf(endsNs, 2 * count);
            }
            sorted &= count == 0 || startNs >= startsNs[count - 1];
            ids[count] = id;
            startsNs[count] = startNs;
            endsNs[count++] = endNs;
            return this;
        }

        /** Returns the spans that were added. */
        public IntervalTree build() {
            int[] order = IntStream.range(0, count).toArray();
            if (!sorted) {
                order = IntStream.range(0, count)
                        .boxed()
                        .sorted((a, b) -> Long.compare(startsNs[a], startsNs[b]))
                        .mapToInt(Integer::intValue)
                        .toArray();
            }
            return new IntervalTree(
                    Arrays.stream(order).map(i -> ids[i]).toArray(),
                    Arrays.stream(order).mapToLong(i -> startsNs[i]).toArray(),
                    Arrays.stream(order).mapToLong(i -> endsNs[i]).toArray());
        }
    }
}
