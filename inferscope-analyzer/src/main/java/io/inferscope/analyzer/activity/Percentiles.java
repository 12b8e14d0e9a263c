package io.inferscope.analyzer.activity;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Numbers whose percentiles are wanted. Percentiles are nearest-rank: always one of the numbers. */
public final class Percentiles {
    private long[] values = new long[16];
    private int size;
    private boolean sorted;

    public int count() {
        return size;
    }

    public void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
        sorted = false;
    }

    /** Returns the nearest-rank percentile, null without numbers. */
    public @Nullable Long percentileIfAny(int percent) {
        return size == 0 ? null : percentile(percent);
    }

    /** Returns the nearest-rank percentile, -1 without numbers. */
    public long percentile(int percent) {
        if (size == 0) {
            return -1;
        }
        if (!sorted) {
            Arrays.sort(values, 0, size);
            sorted = true;
        }
        int rank = (int) Math.ceil(percent / 100.0 * size);
        return values[Math.max(0, rank - 1)];
    }
}
