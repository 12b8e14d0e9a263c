package io.inferscope.timeline;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A growing column of longs, in segments of {@link #SEGMENT} rows: growing copies nothing, a segment in which no row has a value takes no
 * room, and one in which all values fit into 32 bits takes half. So a row takes what it says, not what the widest one could say.
 *
 * <p>Touching fresh memory costs more than filling it. Columns of one {@link Pool} therefore hand their segments on when they are cleared.
 */
final class ColumnStore {
    private static final int SHIFT = 14;
    private static final int SEGMENT = 1 << SHIFT;
    private static final int MASK = SEGMENT - 1;
    /** Stands for the default in a segment of ints; a value that looks like it makes the segment one of longs. */
    private static final int NONE = Integer.MIN_VALUE;

    /** Segments that no column uses any more. */
    static final class Pool {
        private final Deque<int[]> ints = new ArrayDeque<>();
        private final Deque<long[]> longs = new ArrayDeque<>();

        private int[] ints() {
            int[] segment = ints.isEmpty() ? new int[SEGMENT] : ints.pop();
            Arrays.fill(segment, NONE);
            return segment;
        }

        private long[] longs(long absent) {
            long[] segment = longs.isEmpty() ? new long[SEGMENT] : longs.pop();
            Arrays.fill(segment, absent);
            return segment;
        }

        void clear() {
            ints.clear();
            longs.clear();
        }

        private void take(@Nullable Object segment) {
            if (segment instanceof int[] narrow) {
                ints.push(narrow);
            } else if (segment instanceof long[] wide) {
                longs.push(wide);
            }
        }
    }

    private final long absent;
    private final Pool pool;
    private @Nullable Object[] segments = new Object[4];

    /** Makes a column whose rows are {@code absent} until they are set. */
    ColumnStore(long absent, Pool pool) {
        this.absent = absent;
        this.pool = pool;
    }

    long get(int row) {
        int segment = row >>> SHIFT;
        Object values = segment < segments.length ? segments[segment] : null;
        if (values instanceof long[] longs) {
            return longs[row & MASK];
        }
        int value = values instanceof int[] ints ? ints[row & MASK] : NONE;
        return value == NONE ? absent : value;
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
            int[] ints = pool.ints();
            ints[at] = (int) value;
            segments[segment] = ints;
        } else if (value == absent && segments[segment] instanceof int[] ints) {
            ints[at] = NONE;
        } else {
            long[] longs = widened(segments[segment]);
            longs[at] = value;
            pool.take(segments[segment]);
            segments[segment] = longs;
        }
    }

    private long[] widened(@Nullable Object narrow) {
        long[] longs = pool.longs(absent);
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

    /** Makes every row {@code absent}. */
    void clear() {
        for (Object segment : segments) {
            pool.take(segment);
        }
        segments = new Object[4];
    }

    /** Returns a column of rows {@code order[0]}, {@code order[1]}, ..., and clears this one. */
    ColumnStore ordered(int[] order) {
        ColumnStore ordered = new ColumnStore(absent, pool);
        for (int i = 0; i < order.length; i++) {
            ordered.set(i, get(order[i]));
        }
        clear();
        return ordered;
    }
}
