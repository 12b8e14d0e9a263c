package io.inferscope.analyzer.graph;

import java.util.Arrays;

/**
 * Sorts positions by time, stably. One pass suffices if they are in order already, like nearly all rows of a timeline.
 */
public final class ByTime {
    private ByTime() {}

    /** Returns {@code 0 .. count-1} such that {@code timesNs} ascends, equals in their given order. */
    public static int[] order(long[] timesNs, int count) {
        int[] order = new int[count];
        boolean sorted = true;
        for (int i = 0; i < count; i++) {
            order[i] = i;
            sorted &= i == 0 || timesNs[i - 1] <= timesNs[i];
        }
        if (!sorted) {
            int[] other = new int[count];
            for (int width = 1; width < count; width *= 2) {
                for (int low = 0; low < count; low += 2 * width) {
                    merge(timesNs, order, other, low, Math.min(low + width, count), Math.min(low + 2 * width, count));
                }
                System.arraycopy(other, 0, order, 0, count);
            }
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
        int low = 0;
        int high = order.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timesNs[order[middle]] <= ns) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    static int[] grown(int[] values) {
        return Arrays.copyOf(values, 2 * values.length);
    }
}
