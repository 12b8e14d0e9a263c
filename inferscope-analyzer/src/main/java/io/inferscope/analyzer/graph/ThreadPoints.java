package io.inferscope.analyzer.graph;

import java.util.Arrays;

/** The instants at which a thread depends on other tracks or they depend on it, in the order of their discovery. */
final class ThreadPoints {
    /** Marks an instant without a wait. */
    static final long NO_WAIT = Long.MAX_VALUE;

    long[] timesNs = new long[64];
    long[] waitsFromNs = new long[64];
    int[] rows = new int[64];
    int[] sources = new int[64];
    ArcKind[] kinds = new ArcKind[64];
    int count;

    void clear() {
        count = 0;
    }

    /** Adds an instant that depends only on the thread itself. */
    void plain(long timeNs, int row) {
        add(timeNs, row, ArcKind.PROGRAM, -1, NO_WAIT);
    }

    /**
     * Adds an instant that depends on another track.
     *
     * @param source the operation, or the row of the giver
     * @param waitFromNs when the thread began to do nothing but wait for it
     */
    void add(long timeNs, int row, ArcKind kind, int source, long waitFromNs) {
        if (count == timesNs.length) {
            timesNs = Arrays.copyOf(timesNs, 2 * count);
            waitsFromNs = Arrays.copyOf(waitsFromNs, 2 * count);
            rows = Arrays.copyOf(rows, 2 * count);
            sources = Arrays.copyOf(sources, 2 * count);
            kinds = Arrays.copyOf(kinds, 2 * count);
        }
        timesNs[count] = timeNs;
        rows[count] = row;
        kinds[count] = kind;
        sources[count] = source;
        waitsFromNs[count++] = waitFromNs;
    }
}
