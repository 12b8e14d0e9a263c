package io.inferscope.analyzer.graph;

import io.inferscope.timeline.BinarySearch;
import java.util.Arrays;

/**
 * Sorts positions by time, stably. Merges the ascending runs that it finds: rows of a timeline come in one run per
 * thread or stream, so few passes suffice.
 */
public final class StableTimeSort {
    private StableTimeSort() {}

    /** Returns {@code 0 .. count-1} such that {@code timesNs} ascends, equals in their given order. */
    public static int[] order(long[] timesNs, int count) {
        int[] order = new int[count];
        int[] ends = new int[4];
        int runs = 0;
        for (int i = 0; i < count; i++) {
            order[i] = i;
            if (i + 1 == count || timesNs[i] > timesNs[i + 1]) {
                ends = runs == ends.length ? grown(ends) : ends;
                ends[runs++] = i + 1;
            }
        }
        int[] other = runs > 1 ? new int[count] : order;
        while (runs > 1) {
            int merged = 0;
            int low = 0;
            for (int run = 0; run < runs; run += 2) {
                int end = ends[Math.min(run + 1, runs - 1)];
                merge(timesNs, order, other, low, ends[run], end);
                ends[merged++] = end;
                low = end;
            }
            runs = merged;
            int[] sorted = other;
            other = order;
            order = sorted;
        }
        return order;
    }

    private static void merge(long[] timesNs, int[] order, int[] into, int low, int middle, int high) {
        int left = low;
        int right = middle;
        for (int i = low; i < high; i++) {
            boolean takeLeft = left < middle && (right >= high || timesNs[order[left]] <= timesNs[order[right]]);
            into[i] = order[takeLeft ? left++ : right++];
        }
    }

    /** Returns how many of {@code timesNs}, visited in {@code order}, are at most {@code ns}. */
    static int upTo(long[] timesNs, int[] order, long ns) {
        return BinarySearch.first(0, order.length, i -> timesNs[order[i]] > ns);
    }

    static int[] grown(int[] values) {
        return Arrays.copyOf(values, 2 * values.length);
    }
}
