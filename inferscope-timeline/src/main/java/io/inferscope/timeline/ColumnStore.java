package io.inferscope.timeline;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A growing column of longs, in segments of {@link #SEGMENT} rows. Growing copies nothing. A segment without values
 * takes no memory, and one whose values all fit into 32 bits takes half. {@link Column} holds the rows of a timeline in
 * order, in less.
 *
 * <p>The first access to new memory costs more than filling it. Columns of one {@link Pool} therefore reuse each
 * other's segments when they are cleared.
 */
public final class ColumnStore {
    private static final int SHIFT = Column.SHIFT;
    private static final int SEGMENT = Column.SEGMENT;
    private static final int MASK = SEGMENT - 1;
    /** Marks an absent value in a segment of ints. A row with this very value turns the segment into one of longs. */
    private static final int NONE = Integer.MIN_VALUE;

    /** Segments that no column uses any more. */
    static final class Pool {
        private final Deque<int[]> ints = new ArrayDeque<>();
        private final Deque<long[]> longs = new ArrayDeque<>();

        /** Returns a segment, whose content is left over from its last use. */
        int[] ints() {
            return ints.isEmpty() ? new int[SEGMENT] : ints.pop();
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

        private void take(int @Nullable [] narrow, long @Nullable [] wide) {
            if (narrow != null) {
                ints.push(narrow);
            }
            if (wide != null) {
                longs.push(wide);
            }
        }
    }

    private final long absent;
    private final Pool pool;
    /**
     * By segment; at most one of {@code narrow} and {@code wide} has it. Two arrays, because a type check costs more
     * than reading both.
     */
    private int[] @Nullable [] narrow = new int[4][];

    private long[] @Nullable [] wide = new long[4][];

    /** Makes a column whose rows are {@code absent} until they are set. */
    public ColumnStore(long absent) {
        this(absent, new Pool());
    }

    /** Makes such a column that shares the segments of a pool. */
    ColumnStore(long absent, Pool pool) {
        this.absent = absent;
        this.pool = pool;
    }

    /** Returns the value of a row. */
    public long get(int row) {
        int segment = row >>> SHIFT;
        if (segment >= narrow.length) {
            return absent;
        }
        int[] ints = narrow[segment];
        if (ints != null) {
            int value = ints[row & MASK];
            return value == NONE ? absent : value;
        }
        long[] longs = wide[segment];
        return longs == null ? absent : longs[row & MASK];
    }

    /** Sets the value of a row, which may be any; the column grows to it. */
    public void set(int row, long value) {
        int segment = row >>> SHIFT;
        if (segment >= narrow.length) {
            int capacity = Math.max(segment + 1, narrow.length * 2);
            narrow = Arrays.copyOf(narrow, capacity);
            wide = Arrays.copyOf(wide, capacity);
        }
        int[] ints = narrow[segment];
        if (ints != null && value == (int) value && value != NONE) {
            ints[row & MASK] = (int) value;
            return;
        }
        long[] longs = wide[segment];
        if (longs != null) {
            longs[row & MASK] = value;
        } else if (value != absent || ints != null) {
            store(segment, row & MASK, value, ints);
        }
    }

    private void store(int segment, int at, long value, int @Nullable [] ints) {
        boolean fits = value == (int) value && value != NONE;
        if (fits || (value == absent && ints != null)) {
            int[] target = ints == null ? empty() : ints;
            target[at] = fits ? (int) value : NONE;
            narrow[segment] = target;
        } else {
            long[] longs = widened(ints);
            longs[at] = value;
            pool.take(ints, null);
            narrow[segment] = null;
            wide[segment] = longs;
        }
    }

    private int[] empty() {
        int[] segment = pool.ints();
        Arrays.fill(segment, NONE);
        return segment;
    }

    private long[] widened(int @Nullable [] ints) {
        long[] longs = pool.longs(absent);
        for (int i = 0; ints != null && i < SEGMENT; i++) {
            longs[i] = ints[i] == NONE ? absent : ints[i];
        }
        return longs;
    }

    /** Returns whether no row was set. */
    boolean isEmpty() {
        for (int i = 0; i < narrow.length; i++) {
            if (narrow[i] != null || wide[i] != null) {
                return false;
            }
        }
        return true;
    }

    /** Makes every row {@code absent}. */
    void clear() {
        for (int i = 0; i < narrow.length; i++) {
            pool.take(narrow[i], wide[i]);
        }
        narrow = new int[4][];
        wide = new long[4][];
    }

    /**
     * Copies the values of rows {@code order[from]}, ... Looks a segment up once for all neighbouring rows in it, and
     * calls nothing per row.
     *
     * @return false if no row has a value
     */
    private boolean gather(int[] order, int from, int count, long[] values) {
        int segment = -1;
        int[] ints = null;
        long[] longs = null;
        boolean any = false;
        for (int i = 0; i < count; i++) {
            int row = order[from + i];
            if (row >>> SHIFT != segment) {
                segment = row >>> SHIFT;
                ints = segment < narrow.length ? narrow[segment] : null;
                longs = segment < wide.length ? wide[segment] : null;
            }
            if (ints != null) {
                int value = ints[row & MASK];
                if (value == NONE) {
                    values[i] = absent;
                } else {
                    values[i] = value;
                    any = true;
                }
            } else if (longs == null) {
                values[i] = absent;
            } else {
                values[i] = longs[row & MASK];
                any = true;
            }
        }
        return any;
    }

    /** Copies the values of {@code count} rows from {@code from} on. */
    public void copy(int from, int count, long[] values) {
        for (int i = 0; i < count; ) {
            int segment = (from + i) >>> SHIFT;
            int at = (from + i) & MASK;
            int here = Math.min(count - i, SEGMENT - at);
            int[] ints = segment < narrow.length ? narrow[segment] : null;
            long[] longs = segment < wide.length ? wide[segment] : null;
            for (int end = i + here; i < end; i++, at++) {
                if (ints != null) {
                    int value = ints[at];
                    values[i] = value == NONE ? absent : value;
                } else {
                    values[i] = longs == null ? absent : longs[at];
                }
            }
        }
    }

    /** Returns a column of rows {@code order[0]}, {@code order[1]}, ..., and clears this one. */
    Column ordered(int[] order) {
        Column ordered = new Column(absent, order.length);
        long[] values = new long[Math.min(SEGMENT, order.length)];
        for (int from = 0; from < order.length; from += SEGMENT) {
            int count = Math.min(SEGMENT, order.length - from);
            if (gather(order, from, count, values)) {
                ordered.put(from >>> SHIFT, values, count, pool);
            } else {
                ordered.putAbsent(from >>> SHIFT);
            }
        }
        clear();
        return ordered;
    }
}
