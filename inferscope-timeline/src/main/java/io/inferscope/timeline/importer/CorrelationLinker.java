package io.inferscope.timeline.importer;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntToLongFunction;

/**
 * Joins device operations to the API calls that submitted them, by process and correlation id.
 *
 * <p>Correlation ids are unique per process only. If a format does not name the process of a device operation, all its
 * rows are added under one process. If several calls have one id, the last one that started before the operation
 * counts.
 *
 * <p>Both sides are columns of primitives, sorted by (process, id, start) and merged: a map of lists would take five
 * times the memory.
 */
public final class CorrelationLinker {
    /** The process of all rows of a format whose device operations do not name theirs. */
    public static final long ONE_PROCESS = 0;

    private final IntToLongFunction startNs;
    private final Side calls = new Side();
    private final Side operations = new Side();
    private final BitSet graphLaunches = new BitSet();

    /** A call of the runtime and the driver's call in it may have the same id. */
    private static final int MOST_CALLS_OF_AN_ID = 2;

    /** Takes one edge. */
    @FunctionalInterface
    public interface Edges {
        /** Takes the edge from a call to an operation. The confidence is 0 to 100. */
        void link(LinkKind kind, int from, int to, int confidencePercent);
    }

    /** Makes a linker of rows that start at {@code startNs}. */
    public CorrelationLinker(IntToLongFunction startNs) {
        this.startNs = startNs;
    }

    /** Forgets every row, for an importer that starts over. */
    public void clear() {
        calls.size = 0;
        operations.size = 0;
        graphLaunches.clear();
    }

    /**
     * Adds a row that has a correlation id. Rows that are neither API calls nor on a device are left out.
     *
     * @param process any number that identifies the process, equal for calls and operations
     */
    public void add(int row, RowKind kind, long process, long correlation) {
        if (kind.isApiCall()) {
            graphLaunches.set(calls.size, kind == RowKind.GRAPH_LAUNCH);
            calls.add(row, process, correlation);
        } else if (kind.isDeviceOperation() || kind == RowKind.DEVICE_SYNC) {
            operations.add(row, process, correlation);
        }
    }

    /**
     * Passes the link of every operation that has a call. The confidence is 100 if the call is the only one with its
     * id, otherwise 50.
     *
     * <p>libcupti 13.0 gives all launches of graphs, and all that they replay, one id once its records were off
     * (corrected in CUDA 13.1 Update 1, by its release notes). Such an operation belongs to the last launch before it,
     * which is right wherever the device was idle; one before all of them has no link.
     *
     * @return how many operations share their id with several launches of graphs
     */
    public long link(Edges edges) {
        long shared = 0;
        calls.sort(startNs);
        operations.sort(startNs);
        int groupStart = 0;
        int groupEnd = 0;
        int call = 0;
        for (int i = 0; i < operations.size; i++) {
            int operation = operations.order[i];
            while (groupStart < calls.size && calls.compareIds(calls.order[groupStart], operations, operation) < 0) {
                groupStart++;
            }
            groupEnd = Math.max(groupStart, groupEnd);
            while (groupEnd < calls.size && calls.compareIds(calls.order[groupEnd], operations, operation) == 0) {
                groupEnd++;
            }
            call = Math.max(groupStart, call);
            while (call + 1 < groupEnd && calls.startNs(startNs, call + 1) <= operations.startNs(startNs, i)) {
                call++;
            }
            boolean isShared =
                    groupEnd - groupStart > MOST_CALLS_OF_AN_ID && graphLaunches.get(calls.order[groupStart]);
            shared += isShared ? 1 : 0;
            boolean isBefore = isShared && operations.startNs(startNs, i) < calls.startNs(startNs, groupStart);
            if (groupStart < groupEnd && !isBefore) {
                edges.link(
                        graphLaunches.get(calls.order[call]) ? LinkKind.GRAPH_REPLAY : LinkKind.LAUNCH,
                        calls.rows[calls.order[call]],
                        operations.rows[operation],
                        groupEnd - groupStart == 1 ? 100 : 50);
            }
        }
        return shared;
    }

    /** The calls, or the operations. */
    private static final class Side {
        private int[] rows = new int[256];
        private long[] processes = new long[256];
        private long[] correlations = new long[256];
        private int[] order = new int[0];
        private int size;

        void add(int row, long process, long correlation) {
            if (size == rows.length) {
                int capacity = size + (size >> 1);
                rows = Arrays.copyOf(rows, capacity);
                processes = Arrays.copyOf(processes, capacity);
                correlations = Arrays.copyOf(correlations, capacity);
            }
            rows[size] = row;
            processes[size] = process;
            correlations[size++] = correlation;
        }

        long startNs(IntToLongFunction startNs, int position) {
            return startNs.applyAsLong(rows[order[position]]);
        }

        int compareIds(int mine, Side other, int theirs) {
            int byProcess = Long.compare(processes[mine], other.processes[theirs]);
            return byProcess != 0 ? byProcess : Long.compare(correlations[mine], other.correlations[theirs]);
        }

        /** A stable merge sort of positions. Runs that are already in order, the common case, are copied. */
        void sort(IntToLongFunction startNs) {
            order = new int[size];
            for (int i = 0; i < size; i++) {
                order[i] = i;
            }
            sort(startNs, order.clone(), order, 0, size);
        }

        private void sort(IntToLongFunction startNs, int[] from, int[] to, int start, int end) {
            if (end - start < 2) {
                return;
            }
            int middle = (start + end) >>> 1;
            sort(startNs, to, from, start, middle);
            sort(startNs, to, from, middle, end);
            if (compare(startNs, from[middle - 1], from[middle]) <= 0) {
                System.arraycopy(from, start, to, start, end - start);
                return;
            }
            int left = start;
            int right = middle;
            for (int i = start; i < end; i++) {
                boolean takeLeft = right >= end || (left < middle && compare(startNs, from[left], from[right]) <= 0);
                to[i] = takeLeft ? from[left++] : from[right++];
            }
        }

        private int compare(IntToLongFunction startNs, int a, int b) {
            int byIds = compareIds(a, this, b);
            return byIds != 0 ? byIds : Long.compare(startNs.applyAsLong(rows[a]), startNs.applyAsLong(rows[b]));
        }
    }
}
