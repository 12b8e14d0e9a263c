package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.Intervals;

/** Stretches of host calls that have something in common, over all threads. */
public final class HostCalls {
    private final Intervals.Builder intervals = new Intervals.Builder(16);
    private long count;
    private int longest = -1;
    private long longestNs = -1;

    /** Adds a call, of which {@code [fromNs, toNs)} counts. */
    public void add(int row, long fromNs, long toNs) {
        intervals.add(fromNs, toNs);
        count++;
        if (toNs - fromNs > longestNs) {
            longestNs = toNs - fromNs;
            longest = row;
        }
    }

    /** Returns how many there are. */
    public long count() {
        return count;
    }

    /** Returns the row of the longest one, -1 without any. */
    public int longest() {
        return longest;
    }

    /** Returns how long that one is, in ns; -1 without any. */
    public long longestNs() {
        return longestNs;
    }

    /** Returns how much of {@code time} lies inside, in ns. */
    public long totalNs(Intervals time) {
        return time.intersect(intervals.build()).totalNs();
    }
}
