package io.inferscope.formats.xla;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the thread, one of XLA's host lines, of a line of driver calls. ROCm's tracer writes calls to separate lines,
 * named by kernel thread id, whereas lines of XLA's ranges are named by a hash. The calls of a thread are inside that
 * thread's ranges:
 *
 * <pre>
 *   py_xla_execute/2332...   [---fusion---][-fusion.1-][------cudnn-conv------]
 *   Host Threads/586           [launch]      [launch]     [launch]  [launch]
 * </pre>
 *
 * A line is accepted only if nearly all calls are inside its ranges, and these ranges are much shorter than those of
 * any other line.
 */
final class DriverThreads {
    /** More lines than this are not compared, each with each. */
    private static final int MAX_LINES = 512;
    /**
     * Least share of calls inside ranges. Calls at the ends of the recording may be outside, as may stamps of two
     * clocks.
     */
    private static final double MOST = 0.9;
    /** Largest ratio of the lengths of ranges to those of the next best line. */
    private static final double CLEARLY = 0.8;

    private final Map<XlaLine, Spans> calls = new LinkedHashMap<>();
    private final Map<XlaLine, Spans> ranges = new LinkedHashMap<>();

    /** Starts and ends, in ns. */
    private static final class Spans {
        private long[] times = new long[64];
        private int size;

        void add(long startNs, long endNs) {
            if (size + 2 > times.length) {
                times = Arrays.copyOf(times, 2 * times.length);
            }
            times[size++] = startNs;
            times[size++] = endNs;
        }

        int count() {
            return size / 2;
        }

        long startNs(int i) {
            return times[2 * i];
        }

        long endNs(int i) {
            return times[2 * i + 1];
        }

        /** Sorts by start; of equal ones the longer comes first. */
        void sort() {
            long[][] pairs = new long[count()][];
            for (int i = 0; i < pairs.length; i++) {
                pairs[i] = new long[] {startNs(i), endNs(i)};
            }
            Arrays.sort(pairs, (a, b) -> a[0] != b[0] ? Long.compare(a[0], b[0]) : Long.compare(b[1], a[1]));
            size = 0;
            for (long[] pair : pairs) {
                add(pair[0], pair[1]);
            }
        }
    }

    void call(XlaLine line, long startNs, long endNs) {
        calls.computeIfAbsent(line, unseen -> new Spans()).add(startNs, endNs);
    }

    void range(XlaLine line, long startNs, long endNs) {
        ranges.computeIfAbsent(line, unseen -> new Spans()).add(startNs, endNs);
    }

    /** Returns the line of ranges for each line of calls that clearly belongs to one. */
    Map<XlaLine, XlaLine> hosts() {
        Map<XlaLine, XlaLine> hosts = new HashMap<>();
        List<XlaLine> alone = new ArrayList<>(calls.keySet());
        alone.removeAll(ranges.keySet());
        if (alone.size() > MAX_LINES || ranges.size() > MAX_LINES) {
            return hosts;
        }
        ranges.values().forEach(Spans::sort);
        Set<XlaLine> taken = new HashSet<>(calls.keySet());
        for (XlaLine line : alone) {
            Spans own = calls.getOrDefault(line, new Spans());
            own.sort();
            XlaLine best = null;
            double bestNs = Double.MAX_VALUE;
            double nextNs = Double.MAX_VALUE;
            for (Map.Entry<XlaLine, Spans> candidate : ranges.entrySet()) {
                double aroundNs = aroundNs(own, candidate.getValue());
                if (aroundNs < bestNs) {
                    nextNs = bestNs;
                    bestNs = aroundNs;
                    best = candidate.getKey();
                } else {
                    nextNs = Math.min(nextNs, aroundNs);
                }
            }
            if (best != null && bestNs < CLEARLY * nextNs && taken.add(best)) {
                hosts.put(line, best);
            }
        }
        return hosts;
    }

    /** Returns the mean length of the shortest range around a call; infinite where too many calls are in none. */
    private static double aroundNs(Spans calls, Spans ranges) {
        int[] open = new int[16];
        int depth = 0;
        int next = 0;
        int inside = 0;
        double sumNs = 0;
        for (int i = 0; i < calls.count(); i++) {
            while (next < ranges.count() && ranges.startNs(next) <= calls.startNs(i)) {
                while (depth > 0 && ranges.endNs(open[depth - 1]) <= ranges.startNs(next)) {
                    depth--;
                }
                if (depth == open.length) {
                    open = Arrays.copyOf(open, 2 * depth);
                }
                open[depth++] = next++;
            }
            while (depth > 0 && ranges.endNs(open[depth - 1]) <= calls.startNs(i)) {
                depth--;
            }
            if (depth > 0 && ranges.endNs(open[depth - 1]) >= calls.endNs(i)) {
                inside++;
                sumNs += ranges.endNs(open[depth - 1]) - ranges.startNs(open[depth - 1]);
            }
        }
        return inside < MOST * calls.count() || inside == 0 ? Double.POSITIVE_INFINITY : sumNs / inside;
    }
}
