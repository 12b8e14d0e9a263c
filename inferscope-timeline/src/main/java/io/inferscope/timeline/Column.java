package io.inferscope.timeline;

import org.jspecify.annotations.Nullable;

/** A column of a timeline: one value per row, 32 bits wide where all of them fit. Immutable. */
final class Column {
    private final int @Nullable [] ints;
    private final long @Nullable [] longs;
    private final int none;
    private final long absent;

    private Column(int @Nullable [] ints, long @Nullable [] longs, int none, long absent) {
        this.ints = ints;
        this.longs = longs;
        this.none = none;
        this.absent = absent;
    }

    /** Takes ownership of values, in which {@code none} stands for {@code absent}. */
    static Column ints(int[] values, int none, long absent) {
        return new Column(values, null, none, absent);
    }

    /** Takes ownership of values. */
    static Column longs(long[] values) {
        return new Column(null, values, 0, 0);
    }

    long get(int row) {
        if (ints == null) {
            return longs == null ? absent : longs[row];
        }
        int value = ints[row];
        return value == none ? absent : value;
    }
}
