package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * What one host thread was doing: its innermost activity at every instant, and its state where a recorder looked.
 *
 * <pre>
 *   rows       [ scope ............................ ]
 *                 [ operator ......... ]   [ call ]
 *                    [ call ]
 *   innermost  sss oo cccc ooooooooooooo ss cccccc sss
 * </pre>
 *
 * At an instant the innermost row is the one that started last among those that have not ended; rows that only overlap are thereby
 * handled too.
 */
public final class ThreadActivity {
    /** Takes the pieces of a stretch of a thread's time. They sum to its length. */
    interface Sink {
        /** Takes {@code ns} of one class. {@code row} is the innermost activity, -1 for none recorded. */
        void take(long ns, int row, LedgerClass ledgerClass, ThreadState state, boolean estimated, long boundNs);
    }

    private final Timeline timeline;
    private final ActivityClassifier classifier;
    private long[] starts = new long[64];
    private long[] ends = new long[64];
    private int[] rows = new int[64];
    private int segments;
    private final int[] states;

    ThreadActivity(Timeline timeline, int track, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.classifier = classifier;
        int first = timeline.firstRow(track);
        int end = timeline.endRow(track);
        int[] found = new int[end - first];
        int stateCount = 0;
        int[] open = new int[64];
        int depth = 0;
        long cursor = Long.MIN_VALUE;
        for (int row = first; row < end; row++) {
            RowKind kind = timeline.kind(row);
            if (kind == RowKind.THREAD_STATE) {
                found[stateCount++] = row;
            } else if (kind.isHostActivity() && timeline.durationNs(row) > 0) {
                while (depth > 0 && timeline.endNs(open[depth - 1]) <= timeline.startNs(row)) {
                    cursor = emit(cursor, timeline.endNs(open[depth - 1]), open[depth - 1]);
                    depth--;
                }
                if (depth > 0) {
                    emit(cursor, timeline.startNs(row), open[depth - 1]);
                }
                cursor = timeline.startNs(row);
                if (depth == open.length) {
                    open = Arrays.copyOf(open, depth * 2);
                }
                open[depth++] = row;
            }
        }
        while (depth > 0) {
            depth--;
            cursor = emit(cursor, timeline.endNs(open[depth]), open[depth]);
        }
        states = Arrays.copyOf(found, stateCount);
    }

    private long emit(long fromNs, long toNs, int row) {
        long startNs = Math.max(fromNs, timeline.startNs(row));
        if (toNs <= startNs) {
            return Math.max(fromNs, toNs);
        }
        if (segments == starts.length) {
            starts = Arrays.copyOf(starts, segments * 2);
            ends = Arrays.copyOf(ends, segments * 2);
            rows = Arrays.copyOf(rows, segments * 2);
        }
        starts[segments] = startNs;
        ends[segments] = toNs;
        rows[segments++] = row;
        return toNs;
    }

    /** Returns whether a recorder measured how long the thread was on a CPU; one that only saw it wait did not. */
    boolean hasCpuTime() {
        return states.length > 0 && timeline.has(Attribute.ON_CPU_NS);
    }

    /** Returns the time with any recorded activity, in ns. */
    long recordedNs() {
        long total = 0;
        for (int i = 0; i < segments; i++) {
            total += ends[i] - starts[i];
        }
        return total;
    }

    /** Splits {@code [fromNs, toNs)} into pieces. */
    void cover(long fromNs, long toNs, Sink sink) {
        if (toNs <= fromNs) {
            return;
        }
        int found = Arrays.binarySearch(starts, 0, segments, fromNs);
        int i = found >= 0 ? found : Math.max(0, -found - 2);
        long cursor = fromNs;
        for (; i < segments && starts[i] < toNs; i++) {
            long startNs = Math.max(cursor, starts[i]);
            long endNs = Math.min(toNs, ends[i]);
            if (endNs > startNs) {
                withStates(cursor, startNs, -1, sink);
                withStates(startNs, endNs, rows[i], sink);
                cursor = endNs;
            }
        }
        withStates(cursor, toNs, -1, sink);
    }

    private void withStates(long fromNs, long toNs, int row, Sink sink) {
        if (toNs <= fromNs) {
            return;
        }
        LedgerClass activity = row < 0 ? LedgerClass.UNATTRIBUTED : classifier.classify(row);
        long cursor = fromNs;
        for (int i = firstState(fromNs); i < states.length && timeline.startNs(states[i]) < toNs; i++) {
            long startNs = Math.max(cursor, timeline.startNs(states[i]));
            long endNs = Math.min(toNs, timeline.endNs(states[i]));
            if (endNs > startNs) {
                give(startNs - cursor, row, activity, ThreadState.NOT_RECORDED, false, 0, sink);
                split(states[i], startNs, endNs, row, activity, sink);
                cursor = endNs;
            }
        }
        give(toNs - cursor, row, activity, ThreadState.NOT_RECORDED, false, 0, sink);
    }

    private int firstState(long fromNs) {
        int low = 0;
        int high = states.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timeline.endNs(states[middle]) <= fromNs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Apportions a state row's counters to a part of it. A counter says how long, not when: inside the row the running time may lie
     * anywhere, so that a part of length l in a row of length n with c on a CPU ran between max(0, c - (n - l)) and min(c, l).
     */
    private void split(int stateRow, long fromNs, long toNs, int row, LedgerClass activity, Sink sink) {
        long lengthNs = timeline.durationNs(stateRow);
        long partNs = toNs - fromNs;
        long onCpuNs = Math.max(0, Math.min(lengthNs, timeline.attribute(stateRow, Attribute.ON_CPU_NS)));
        long runnableNs =
                Math.max(0, Math.min(lengthNs - onCpuNs, timeline.attribute(stateRow, Attribute.RUNNABLE_NS)));
        long offsetNs = fromNs - timeline.startNs(stateRow);
        long runNs = Math.min(partNs, proportion(offsetNs, partNs, onCpuNs, lengthNs));
        long queueNs = Math.min(partNs - runNs, proportion(offsetNs, partNs, runnableNs, lengthNs));
        long blockedNs = partNs - runNs - queueNs;
        if (onCpuNs + runnableNs == lengthNs) {
            runNs += blockedNs;
            blockedNs = 0;
        }
        ThreadState blocked = ThreadState.blockedOn(WaitReason.of(timeline.attribute(stateRow, Attribute.WAIT_REASON)));
        give(runNs, row, activity, ThreadState.RUNNING, onCpuNs < lengthNs, bound(onCpuNs, partNs, lengthNs), sink);
        give(
                queueNs,
                row,
                ThreadState.RUNNABLE.ledgerClass(),
                ThreadState.RUNNABLE,
                runnableNs < lengthNs,
                bound(runnableNs, partNs, lengthNs),
                sink);
        long restNs = lengthNs - onCpuNs - runnableNs;
        give(
                blockedNs,
                row,
                activity == LedgerClass.FRAMEWORK_SYNC_RETURN ? activity : blocked.ledgerClass(),
                blocked,
                restNs < lengthNs,
                bound(restNs, partNs, lengthNs),
                sink);
    }

    /** The share of {@code totalNs} that falls into a part; parts of one row sum to the total. */
    private static long proportion(long offsetNs, long partNs, long totalNs, long lengthNs) {
        return shareOfFirst(offsetNs + partNs, totalNs, lengthNs) - shareOfFirst(offsetNs, totalNs, lengthNs);
    }

    /** Exact: a double has too few bits for the product from 0.1 s on, a long from 3 s on. */
    private static long shareOfFirst(long partNs, long totalNs, long lengthNs) {
        long product = partNs * totalNs;
        if (product >= 0 && Math.multiplyHigh(partNs, totalNs) == 0) {
            return product / lengthNs;
        }
        return BigInteger.valueOf(partNs)
                .multiply(BigInteger.valueOf(totalNs))
                .divide(BigInteger.valueOf(lengthNs))
                .longValue();
    }

    private static long bound(long totalNs, long partNs, long lengthNs) {
        long least = Math.max(0, totalNs - (lengthNs - partNs));
        long most = Math.min(totalNs, partNs);
        return (most - least + 1) / 2;
    }

    private static void give(
            long ns, int row, LedgerClass ledgerClass, ThreadState state, boolean estimated, long boundNs, Sink sink) {
        if (ns > 0) {
            sink.take(ns, row, ledgerClass, state, estimated, estimated ? boundNs : 0);
        }
    }
}
