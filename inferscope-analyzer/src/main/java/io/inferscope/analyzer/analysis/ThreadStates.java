package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.math.BigInteger;

/** The recorded states of one thread, and how they split a part of its time. */
final class ThreadStates {
    private final Timeline timeline;
    private final int track;
    private final ActivityClassifier classifier;
    private final int[] states;
    private final Piece piece = new Piece();

    ThreadStates(Timeline timeline, int track, int count, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.track = track;
        this.classifier = classifier;
        this.states = new int[count];
        int i = 0;
        for (int row = timeline.firstRow(track); i < count; row++) {
            if (timeline.kind(row) == RowKind.THREAD_STATE) {
                states[i++] = row;
            }
        }
    }

    boolean isEmpty() {
        return states.length == 0;
    }

    /** Returns the sum of an attribute over the states, in ns; -1 when it was not recorded. */
    long totalNs(Attribute attribute) {
        long total = -1;
        for (int row : states) {
            if (timeline.attribute(row, attribute) != Attribute.ABSENT) {
                total = Math.max(0, total) + Math.max(0, timeline.attribute(row, attribute));
            }
        }
        return total;
    }

    long onCpuNs(long fromNs, long toNs) {
        long total = 0;
        for (int i = firstState(fromNs); i < states.length && timeline.startNs(states[i]) < toNs; i++) {
            long startNs = Math.max(fromNs, timeline.startNs(states[i]));
            long partNs = Math.min(toNs, timeline.endNs(states[i])) - startNs;
            if (partNs > 0) {
                long lengthNs = timeline.durationNs(states[i]);
                long onCpuNs = Math.max(0, Math.min(lengthNs, timeline.attribute(states[i], Attribute.ON_CPU_NS)));
                total += shareOfFirst(partNs, onCpuNs, lengthNs);
            }
        }
        return total;
    }

    /** Splits {@code [fromNs, toNs)}, for which one activity and one sample speak, by the states that were recorded meanwhile. */
    void split(long fromNs, long toNs, int row, int sample, ThreadActivity.Sink sink, ThreadActivity.Sink blocked) {
        long cursor = fromNs;
        for (int i = firstState(fromNs); i < states.length && timeline.startNs(states[i]) < toNs; i++) {
            long startNs = Math.max(cursor, timeline.startNs(states[i]));
            long endNs = Math.min(toNs, timeline.endNs(states[i]));
            if (endNs > startNs) {
                unknown(cursor, startNs, row, sample, blocked);
                split(states[i], startNs, endNs, row, sample, sink, blocked);
                cursor = endNs;
            }
        }
        unknown(cursor, toNs, row, sample, blocked);
    }

    /** Time of which no state is known: the thread may have waited, by what a sample saw. */
    private void unknown(long fromNs, long toNs, int row, int sample, ThreadActivity.Sink blocked) {
        if (fromNs < toNs) {
            piece.place(track, row, sample, fromNs, toNs);
            Basis basis = Basis.MEASURED.sampled(classifier.weightNs(row, sample));
            piece.spent(toNs - fromNs, classifier.classify(row, sample), ThreadState.NOT_RECORDED, basis);
            blocked.take(piece);
        }
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
    private void split(
            int stateRow,
            long fromNs,
            long toNs,
            int row,
            int sample,
            ThreadActivity.Sink sink,
            ThreadActivity.Sink blocked) {
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
        if (runNs > 0) {
            begin(stateRow, fromNs, toNs, row, sample);
            Basis basis = basis(onCpuNs, partNs, lengthNs).sampled(classifier.weightNs(row, sample));
            piece.spent(runNs, classifier.classifyRunning(row, sample), ThreadState.RUNNING, basis);
            sink.take(piece);
        }
        if (queueNs > 0) {
            begin(stateRow, fromNs, toNs, row, sample);
            piece.spent(
                    queueNs,
                    ThreadState.RUNNABLE.ledgerClass(),
                    ThreadState.RUNNABLE,
                    basis(runnableNs, partNs, lengthNs));
            sink.take(piece);
        }
        if (blockedNs > 0) {
            begin(stateRow, fromNs, toNs, row, sample);
            LedgerClass waits = classifier.classifyBlocked(stateRow, row, sample);
            ThreadState state = classifier.stateOf(stateRow, waits);
            piece.spent(blockedNs, waits, state, basis(lengthNs - onCpuNs - runnableNs, partNs, lengthNs));
            blocked.take(piece);
        }
    }

    private void begin(int stateRow, long fromNs, long toNs, int row, int sample) {
        piece.place(track, row, sample, fromNs, toNs);
        piece.stateRow(stateRow);
    }

    /** The share of {@code totalNs} that falls into a part; parts of one row sum to the total. */
    private static long proportion(long offsetNs, long partNs, long totalNs, long lengthNs) {
        return shareOfFirst(offsetNs + partNs, totalNs, lengthNs) - shareOfFirst(offsetNs, totalNs, lengthNs);
    }

    /** Returns {@code partNs * totalNs / lengthNs}. Exact: a double has too few bits for the product from 0.1 s on, a long from 3 s on. */
    static long shareOfFirst(long partNs, long totalNs, long lengthNs) {
        long product = partNs * totalNs;
        if (product >= 0 && Math.multiplyHigh(partNs, totalNs) == 0) {
            return product / lengthNs;
        }
        return BigInteger.valueOf(partNs)
                .multiply(BigInteger.valueOf(totalNs))
                .divide(BigInteger.valueOf(lengthNs))
                .longValue();
    }

    /** What fills its row is measured; anything else lies between all of it outside the part and all of it inside. */
    private static Basis basis(long totalNs, long partNs, long lengthNs) {
        if (totalNs >= lengthNs) {
            return Basis.MEASURED;
        }
        long least = Math.max(0, totalNs - (lengthNs - partNs));
        long most = Math.min(totalNs, partNs);
        return new Basis(true, (most - least + 1) / 2, 0);
    }
}
