package io.inferscope.timeline;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A growing column of longs, in segments of {@link #SEGMENT} rows: growing copies nothing, a segment in which no row has a value takes no
 * room, and one in which all values fit into 32 bits takes half. So a row takes what it says, not what the widest one could say.
 */
final class ColumnStore {
    private static final int SHIFT = 14;
    private static final int SEGMENT = 1 << SHIFT;
    private static final int MASK = SEGMENT - 1;
    /** Stands for the default in a segment of ints; a value that looks like it makes the segment one of longs. */
    private static final int NONE = Integer.MIN_VALUE;

    private final long absent;
    private @Nullable Object[] segments = new Object[4];

    /** Makes a column whose rows are {@code absent} until they are set. */
    ColumnStore(long absent) {
        this.absent = absent;
    }

    long get(int row) {
        Object values = valuesOf(row);
        if (values instanceof int[] ints) {
            int value = ints[row & MASK];
            return value == NONE ? absent : value;
        }
        return values instanceof long[] longs ? longs[row & MASK] : absent;
    }

    private @Nullable Object valuesOf(int row) {
        int segment = row >>> SHIFT;
        return segment < segments.length ? segments[segment] : null;
    }

    void set(int row, long value) {
        int segment = row >>> SHIFT;
        if (segment >= segments.length) {
            segments = Arrays.copyOf(segments, Math.max(segment + 1, segments.length * 2));
        }
        Object values = segments[segment];
        boolean fits = value == (int) value && value != NONE;
        if (values instanceof int[] ints && fits) {
            ints[row & MASK] = (int) value;
        } else if (values instanceof long[] longs) {
            longs[row & MASK] = value;
        } else if (value != absent || values != null) {
            store(segment, row & MASK, value, fits);
        }
    }

    private void store(int segment, int at, long value, boolean fits) {
        if (segments[segment] == null && fits) {
            int[] ints = new int[SEGMENT];
            Arrays.fill(ints, NONE);
            ints[at] = (int) value;
            segments[segment] = ints;
        } else if (value == absent && segments[segment] instanceof int[] ints) {
            ints[at] = NONE;
        } else {
            segments[segment] = widened(segments[segment]);
            ((long[]) segments[segment])[at] = value;
        }
    }

    private long[] widened(@Nullable Object narrow) {
        long[] longs = new long[SEGMENT];
        Arrays.fill(longs, absent);
        if (narrow instanceof int[] ints) {
            for (int i = 0; i < SEGMENT; i++) {
                longs[i] = ints[i] == NONE ? absent : ints[i];
            }
        }
        return longs;
    }

    /** Returns whether no row was set. */
    boolean isEmpty() {
        for (Object segment : segments) {
            if (segment != null) {
                return false;
            }
        }
        return true;
    }

    void clear() {
        Arrays.fill(segments, null);
    }

    /** Returns the values of rows {@code order[0]}, {@code order[1]}, ..., and forgets the column: both together would be the peak of memory. */
    Column ordered(int[] order) {
        Column ordered = wide() ? Column.longs(longs(order)) : Column.ints(ints(order), NONE, absent);
        clear();
        return ordered;
    }

    private boolean wide() {
        for (Object segment : segments) {
            if (segment instanceof long[]) {
                return true;
            }
        }
        return false;
    }

    long[] longs(int[] order) {
        long[] values = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            values[i] = get(order[i]);
        }
        return values;
    }

    private int[] ints(int[] order) {
        int[] values = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            values[i] = valuesOf(order[i]) instanceof int[] ints ? ints[order[i] & MASK] : NONE;
        }
        return values;
    }
}
