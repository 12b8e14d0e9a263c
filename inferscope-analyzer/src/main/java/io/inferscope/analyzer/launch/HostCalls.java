package io.inferscope.analyzer.launch;

import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/** Host calls of one kind on all threads, with the counted interval of each. */
public final class HostCalls {
    private final Intervals.Builder intervals = new Intervals.Builder(16);
    private int[] rows = new int[16];
    private long[] startsNs = new long[16];
    private long[] endsNs = new long[16];
    private int count;
    private long shortestNs = Long.MAX_VALUE;
    private int longest = -1;
    private long longestNs = -1;
    private long longestFromNs;

    /** Returns calls that count as a whole. */
    public static HostCalls of(Timeline timeline, IntStream rows) {
        HostCalls calls = new HostCalls();
        rows.forEach(row -> calls.add(row, timeline.startNs(row), timeline.endNs(row)));
        return calls;
    }

    /** Adds a call, of which {@code [fromNs, toNs)} counts. */
    public void add(int row, long fromNs, long toNs) {
        intervals.add(fromNs, toNs);
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
            startsNs = Arrays.copyOf(startsNs, 2 * count);
            endsNs = Arrays.copyOf(endsNs, 2 * count);
        }
        rows[count] = row;
        startsNs[count] = fromNs;
        endsNs[count++] = toNs;
        shortestNs = Math.min(shortestNs, Math.max(0, toNs - fromNs));
        if (toNs - fromNs > longestNs) {
            longestNs = toNs - fromNs;
            longestFromNs = fromNs;
            longest = row;
        }
    }

    public long count() {
        return count;
    }

    /** Returns the row of the longest call, -1 without any. */
    public int longest() {
        return longest;
    }

    /** Returns the length of the longest call, in ns; -1 without any. */
    public long longestNs() {
        return longestNs;
    }

    /** Returns when the counted interval of the longest call starts, in ns; 0 without any. */
    public long longestFromNs() {
        return longestFromNs;
    }

    /** Returns the length of the shortest call, in ns; {@link Long#MAX_VALUE} without any. */
    public long shortestNs() {
        return shortestNs;
    }

    /** Passes on the counted interval of each call. */
    public void forEach(Intervals.Taker taker) {
        for (int i = 0; i < count; i++) {
            taker.take(startsNs[i], endsNs[i]);
        }
    }

    /** Returns when any of them was under way. */
    public Intervals times() {
        return intervals.build();
    }

    /** Returns, by thread, the part of each call after its first {@code leastNs}. */
    public Map<Integer, Intervals> beyond(long leastNs, Timeline timeline) {
        Map<Integer, Intervals.Builder> builders = new HashMap<>();
        for (int i = 0; i < count; i++) {
            if (endsNs[i] - startsNs[i] > leastNs) {
                builders.computeIfAbsent(timeline.track(rows[i]), track -> new Intervals.Builder(16))
                        .add(startsNs[i] + leastNs, endsNs[i]);
            }
        }
        Map<Integer, Intervals> beyond = new HashMap<>();
        builders.forEach((track, builder) -> beyond.put(track, builder.build()));
        return beyond;
    }

    /** Returns how much of {@code time} lies inside the calls, in ns. */
    public long totalNs(Intervals time) {
        return time.intersect(times()).totalNs();
    }
}
