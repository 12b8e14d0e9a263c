package io.inferscope.shapes;

import java.util.Arrays;

/** A number for each signature or operator, 0 until something is added. */
final class Counts {
    private long[] values = new long[64];

    void add(int id, long amount) {
        if (id >= values.length) {
            values = Arrays.copyOf(values, Math.max(id + 1, values.length + values.length / 2));
        }
        values[id] += amount;
    }

    long get(int id) {
        return id < values.length ? values[id] : 0;
    }
}
