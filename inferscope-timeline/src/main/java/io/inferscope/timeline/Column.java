package io.inferscope.timeline;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An immutable column of longs, in segments of {@link #SEGMENT} rows. A segment stores the distances of its values from
 * a base, in as few bytes as all of them need. So the memory for values such as timestamps depends on how much
 * neighbouring rows differ. A segment of equal values takes no memory; a segment in which few rows have a value takes
 * hardly more than these values.
 */
final class Column {
    static final int SHIFT = 10;
    static final int SEGMENT = 1 << SHIFT;
    private static final int MASK = SEGMENT - 1;
    /** Mark an absent value among distances. */
    private static final short NO_SHORT = Short.MIN_VALUE;

    private static final int NO_INT = Integer.MIN_VALUE;
    private static final long SHORT_RANGE = (1L << Short.SIZE) - 2;
    private static final long INT_RANGE = (1L << Integer.SIZE) - 2;

    private final long absent;
    /** By segment: what distances are counted from; the value of all rows if no array has the segment. */
    private final long[] bases;

    /** By segment; at most one of the four has it. Four arrays, because a type check costs more than reading all. */
    private final int[] @Nullable [] ints;

    private final short[] @Nullable [] shorts;
    private final long[] @Nullable [] longs;
    private final @Nullable Sparse[] sparse;

    /**
     * A segment in which few rows have a value.
     *
     * @param present a bit for each row that has one
     * @param before for each word of {@code present}: how many earlier rows have a value
     * @param values theirs
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Sparse(long[] present, short[] before, long[] values) {
        static Sparse of(long[] rows, int count, long absent, int values) {
            int words = (count + Long.SIZE - 1) / Long.SIZE;
            Sparse sparse = new Sparse(new long[words], new short[words], new long[values]);
            int stored = 0;
            for (int i = 0; i < count; i++) {
                if (i % Long.SIZE == 0) {
                    sparse.before[i / Long.SIZE] = (short) stored;
                }
                if (rows[i] != absent) {
                    sparse.present[i / Long.SIZE] |= 1L << i;
                    sparse.values[stored++] = rows[i];
                }
            }
            return sparse;
        }

        static long bytes(int count, int values) {
            return (long) (count + Long.SIZE - 1) / Long.SIZE * (Long.BYTES + Short.BYTES) + (long) values * Long.BYTES;
        }

        long get(int at, long absent) {
            long word = present[at / Long.SIZE];
            long bit = 1L << at;
            return (word & bit) == 0 ? absent : values[before[at / Long.SIZE] + Long.bitCount(word & (bit - 1))];
        }
    }

    /** Makes a column of {@code rows} rows, which {@link #put} fills. */
    Column(long absent, int rows) {
        int segments = (rows + MASK) >>> SHIFT;
        this.absent = absent;
        bases = new long[segments];
        ints = new int[segments][];
        shorts = new short[segments][];
        longs = new long[segments][];
        sparse = new Sparse[segments];
    }

    /** Returns a column in which the rows from {@code firstRows[i]} to {@code firstRows[i + 1]} have the value i. */
    static Column ofRuns(int[] firstRows, ColumnStore.Pool pool) {
        int rows = firstRows[firstRows.length - 1];
        Column column = new Column(0, rows);
        long[] values = new long[Math.min(SEGMENT, rows)];
        int value = 0;
        for (int row = 0; row < rows; row++) {
            while (row >= firstRows[value + 1]) {
                value++;
            }
            values[row & MASK] = value;
            if ((row & MASK) == MASK || row + 1 == rows) {
                column.put(row >>> SHIFT, values, (row & MASK) + 1, pool);
            }
        }
        return column;
    }

    long get(int row) {
        int segment = row >>> SHIFT;
        int[] narrow = ints[segment];
        if (narrow != null) {
            int distance = narrow[row & MASK];
            return distance == NO_INT ? absent : bases[segment] + distance;
        }
        short[] narrowest = shorts[segment];
        if (narrowest != null) {
            short distance = narrowest[row & MASK];
            return distance == NO_SHORT ? absent : bases[segment] + distance;
        }
        long[] wide = longs[segment];
        if (wide != null) {
            return wide[row & MASK];
        }
        Sparse few = sparse[segment];
        return few == null ? bases[segment] : few.get(row & MASK, absent);
    }

    /** Makes a segment without values. */
    void putAbsent(int segment) {
        bases[segment] = absent;
    }

    /** Stores the first {@code count} of {@code values} as a segment. */
    void put(int segment, long[] values, int count, ColumnStore.Pool pool) {
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        int present = 0;
        for (int i = 0; i < count; i++) {
            long value = values[i];
            if (value != absent) {
                least = Math.min(least, value);
                most = Math.max(most, value);
                present++;
            }
        }
        long range = most - least; // Negative beyond a long.
        int width = range < 0 || range > INT_RANGE ? Long.BYTES : range > SHORT_RANGE ? Integer.BYTES : Short.BYTES;
        if (present == 0) {
            bases[segment] = absent;
        } else if (range == 0 && present == count) {
            bases[segment] = least;
        } else if (Sparse.bytes(count, present) < (long) width * count) {
            sparse[segment] = Sparse.of(values, count, absent, present);
        } else if (width == Short.BYTES) {
            bases[segment] = least + Short.MAX_VALUE;
            shorts[segment] = shorts(values, count, bases[segment]);
        } else if (width == Integer.BYTES) {
            bases[segment] = least + Integer.MAX_VALUE;
            ints[segment] = ints(values, count, bases[segment], pool);
        } else {
            longs[segment] = Arrays.copyOf(values, count);
        }
    }

    private short[] shorts(long[] values, int count, long base) {
        short[] distances = new short[count];
        for (int i = 0; i < count; i++) {
            distances[i] = values[i] == absent ? NO_SHORT : (short) (values[i] - base);
        }
        return distances;
    }

    private int[] ints(long[] values, int count, long base, ColumnStore.Pool pool) {
        int[] distances = count == SEGMENT ? pool.ints() : new int[count];
        for (int i = 0; i < count; i++) {
            distances[i] = values[i] == absent ? NO_INT : (int) (values[i] - base);
        }
        return distances;
    }
}
