package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * What one host thread was doing: its innermost activity at every instant, and its state where a recorder looked.
 *
 * <p>Where no measured activity covers an instant, the stack sample that covers it says what the thread did: an estimate, of which
 * {@link io.inferscope.analyzer.model.SamplingError} says how far it may be off. A state that was recorded wins over what a sample saw
 * of waiting.
 */
public final class ThreadActivity {
    /** Takes the pieces of a stretch of a thread's time. They sum to its length. */
    interface Sink {
        /** Takes {@code ns} of one class. {@code row} is the innermost activity or the stack sample, -1 for none recorded. */
        void take(long ns, int row, LedgerClass ledgerClass, ThreadState state, Basis basis);
    }

    private final Timeline timeline;
    private final ActivityClassifier classifier;
    private final Segments activities;
    private final Segments samples;
    private final int[] states;

    ThreadActivity(Timeline timeline, int track, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.classifier = classifier;
        int[] counts = new int[RowKind.values().length];
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            counts[timeline.kind(row).ordinal()]++;
        }
        this.activities = segments(track, RowKind::isHostActivity, counts);
        this.samples = segments(track, kind -> kind == RowKind.STACK_SAMPLE, counts);
        this.states = states(track, counts[RowKind.THREAD_STATE.ordinal()]);
    }

    private Segments segments(int track, Predicate<RowKind> kinds, int[] counts) {
        int most = Arrays.stream(RowKind.values())
                .filter(kinds)
                .mapToInt(kind -> counts[kind.ordinal()])
                .sum();
        return new Segments(timeline, track, kinds, most);
    }

    private int[] states(int track, int count) {
        int[] found = new int[count];
        int i = 0;
        for (int row = timeline.firstRow(track); i < count; row++) {
            if (timeline.kind(row) == RowKind.THREAD_STATE) {
                found[i++] = row;
            }
        }
        return found;
    }

    /** Returns whether a recorder measured how long the thread was on a CPU; one that only saw it wait did not. */
    boolean hasCpuTime() {
        return states.length > 0 && timeline.has(Attribute.ON_CPU_NS);
    }

    /** Returns the sum of an attribute over the states, in ns; -1 when it was not recorded. */
    long stateTotalNs(Attribute attribute) {
        long total = -1;
        for (int row : states) {
            if (timeline.attribute(row, attribute) != Attribute.ABSENT) {
                total = Math.max(0, total) + Math.max(0, timeline.attribute(row, attribute));
            }
        }
        return total;
    }

    /** Returns the time with any recorded activity or sample, in ns. */
    long recordedNs() {
        return recordedNs(true);
    }

    /** Returns the time with any recorded activity, or with a sample of a thread that does not wait, in ns. */
    long workedNs() {
        return recordedNs(false);
    }

    private long recordedNs(boolean waitsToo) {
        if (samples.isEmpty()) {
            return activities.coveredNs();
        }
        long total = 0;
        activities.begin(
                Math.min(activities.startNs(), samples.startNs()), Math.max(activities.endNs(), samples.endNs()));
        while (activities.next()) {
            if (activities.pieceRow() >= 0) {
                total += activities.pieceEndNs() - activities.pieceStartNs();
            } else {
                total += sampledNs(activities.pieceStartNs(), activities.pieceEndNs(), waitsToo);
            }
        }
        return total;
    }

    private long sampledNs(long fromNs, long toNs, boolean waitsToo) {
        long total = 0;
        samples.begin(fromNs, toNs);
        while (samples.next()) {
            int row = samples.pieceRow();
            if (row >= 0 && (waitsToo || !classifier.classify(row).isWaiting())) {
                total += samples.pieceEndNs() - samples.pieceStartNs();
            }
        }
        return total;
    }

    private boolean isSample(int row) {
        return row >= 0 && timeline.kind(row) == RowKind.STACK_SAMPLE;
    }

    /** Splits {@code [fromNs, toNs)} into pieces: measured activities first, samples where there are none. */
    void cover(long fromNs, long toNs, Sink sink) {
        activities.begin(fromNs, toNs);
        while (activities.next()) {
            int row = activities.pieceRow();
            if (row < 0 && !samples.isEmpty()) {
                coverSampled(activities.pieceStartNs(), activities.pieceEndNs(), sink);
            } else if (states.length > 0) {
                withStates(activities.pieceStartNs(), activities.pieceEndNs(), row, sink);
            } else {
                sink.take(
                        activities.pieceEndNs() - activities.pieceStartNs(),
                        row,
                        row < 0 ? LedgerClass.UNATTRIBUTED : classifier.classify(row),
                        ThreadState.NOT_RECORDED,
                        Basis.MEASURED);
            }
        }
    }

    private void coverSampled(long fromNs, long toNs, Sink sink) {
        samples.begin(fromNs, toNs);
        while (samples.next()) {
            withStates(samples.pieceStartNs(), samples.pieceEndNs(), samples.pieceRow(), sink);
        }
    }

    private void withStates(long fromNs, long toNs, int row, Sink sink) {
        LedgerClass activity = row < 0 ? LedgerClass.UNATTRIBUTED : classifier.classify(row);
        Basis unknownState = Basis.MEASURED.sampled(weightNs(row));
        long cursor = fromNs;
        for (int i = firstState(fromNs); i < states.length && timeline.startNs(states[i]) < toNs; i++) {
            long startNs = Math.max(cursor, timeline.startNs(states[i]));
            long endNs = Math.min(toNs, timeline.endNs(states[i]));
            if (endNs > startNs) {
                give(startNs - cursor, row, activity, ThreadState.NOT_RECORDED, unknownState, sink);
                split(states[i], startNs, endNs, row, sink);
                cursor = endNs;
            }
        }
        give(toNs - cursor, row, activity, ThreadState.NOT_RECORDED, unknownState, sink);
    }

    /** What one sample of a row stands for, in ns; 0 for a row that is none. */
    private long weightNs(int row) {
        return isSample(row) ? classifier.sampleNs(row) : 0;
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
    private void split(int stateRow, long fromNs, long toNs, int row, Sink sink) {
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
        LedgerClass activity = row < 0 ? LedgerClass.UNATTRIBUTED : classifier.classifyRunning(row);
        ThreadState blocked = ThreadState.blockedOn(WaitReason.of(timeline.attribute(stateRow, Attribute.WAIT_REASON)));
        boolean syncs =
                (activity == LedgerClass.FRAMEWORK_SYNC_RETURN || activity == LedgerClass.WAIT_GC) && !isSample(row);
        give(
                runNs,
                row,
                activity,
                ThreadState.RUNNING,
                basis(onCpuNs, partNs, lengthNs).sampled(weightNs(row)),
                sink);
        give(
                queueNs,
                row,
                ThreadState.RUNNABLE.ledgerClass(),
                ThreadState.RUNNABLE,
                basis(runnableNs, partNs, lengthNs),
                sink);
        give(
                blockedNs,
                row,
                syncs ? activity : blocked.ledgerClass(),
                blocked,
                basis(lengthNs - onCpuNs - runnableNs, partNs, lengthNs),
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

    /** What fills its row is measured; anything else lies between all of it outside the part and all of it inside. */
    private static Basis basis(long totalNs, long partNs, long lengthNs) {
        if (totalNs >= lengthNs) {
            return Basis.MEASURED;
        }
        long least = Math.max(0, totalNs - (lengthNs - partNs));
        long most = Math.min(totalNs, partNs);
        return new Basis(true, (most - least + 1) / 2, 0);
    }

    private static void give(long ns, int row, LedgerClass ledgerClass, ThreadState state, Basis basis, Sink sink) {
        if (ns > 0) {
            sink.take(ns, row, ledgerClass, state, basis);
        }
    }
}
