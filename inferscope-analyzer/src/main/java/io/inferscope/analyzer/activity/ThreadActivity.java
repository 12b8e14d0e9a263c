package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * What one host thread did: its innermost activity at every instant, and its state where it was recorded.
 *
 * <p>If no measured activity covers an instant, the stack sample there shows what the thread did. If the innermost
 * activity is coarse (the script, a scope, the model), the sample that represents it ({@link RepresentativeSamples})
 * shows what was done inside. Both are estimates; {@link io.inferscope.analyzer.model.SamplingError} bounds their
 * error. If a recorded state and a sample disagree on waiting, the state counts. {@link WaitFollower} explains waits by
 * the work of other threads.
 */
public final class ThreadActivity {
    /** Takes the pieces of an interval of a thread's time. They sum to its length. */
    public interface Sink {
        /** Takes a piece, which is valid during the call only. */
        void take(ThreadPiece piece);
    }

    /**
     * A sink that takes plain pieces without an object: those of a thread with measured activities alone, no samples,
     * states or waits. Nearly all threads of a profiler's trace are of this kind, with millions of pieces.
     */
    public interface PlainSink extends Sink {
        /** Takes a piece of a thread whose innermost row is {@code row}, -1 for none. Its meaning says the rest. */
        void takePlain(int thread, int row, long fromNs, long toNs);
    }

    private final Timeline timeline;
    private final int track;
    private final ActivityClassifier classifier;
    private final InnermostRows activities;
    private final InnermostRows samples;
    private final int[] sampleRows;
    private final ThreadStates states;

    /** Whether hand-overs are the only record of when the thread waited. */
    private final boolean waitsByHandOver;

    /** When the thread built code that it then loaded. */
    private final Intervals builds;

    /** When the thread called no runtime for so long that it dispatched nothing to a device. */
    private final Intervals withoutCalls;

    /** Whether all pieces are plain. */
    private final boolean isPlain;

    private final ThreadPiece piece = new ThreadPiece();

    /** Whether the recorded instants of samples show which samples were taken between two rows. */
    private final boolean hasSamplesBetweenRows;

    private final Lazy<RepresentativeSamples> representatives;

    /** By piece of {@link #activities} that one sample represents: the sample and {@value #KNOWN}; 0 for others. */
    private final Lazy<int[]> representing;

    private static final int KNOWN = 2;

    ThreadActivity(Timeline timeline, int track, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.track = track;
        this.classifier = classifier;
        int[] counts = new int[RowKind.values().length];
        timeline.rows(track).forEach(row -> counts[timeline.kind(row).ordinal()]++);
        this.activities = segments(RowKind::isHostActivity, counts);
        this.samples = segments(kind -> kind == RowKind.STACK_SAMPLE, counts);
        this.hasSamplesBetweenRows = timeline.has(Attribute.LOOKED_NS) && !activities.isEmpty();
        this.sampleRows = timeline.rows(track, RowKind.STACK_SAMPLE).toArray();
        this.representatives = new Lazy<>(
                () -> new RepresentativeSamples(timeline, classifier, sampleRows, samples.again(), activities.again()));
        this.representing = new Lazy<>(() -> new int[activities.mostPieces()]);
        this.waitsByHandOver = counts[RowKind.HAND_OVER.ordinal()] > 0 && counts[RowKind.THREAD_STATE.ordinal()] == 0;
        this.states = new ThreadStates(timeline, track, classifier, new Speakers());
        this.builds = classifier.builds(track);
        this.withoutCalls = classifier.withoutCalls(track);
        this.isPlain = samples.isEmpty() && states.isEmpty() && !waitsByHandOver && builds.isEmpty();
    }

    boolean waitsByHandOver() {
        return waitsByHandOver;
    }

    private InnermostRows segments(Predicate<RowKind> kinds, int[] counts) {
        int most = Arrays.stream(RowKind.values())
                .filter(kinds)
                .mapToInt(kind -> counts[kind.ordinal()])
                .sum();
        return new InnermostRows(timeline, track, kinds, most);
    }

    /** Returns whether the thread's CPU time was recorded. Some recorders record waits only. */
    public boolean hasCpuTime() {
        return !states.isEmpty() && timeline.has(Attribute.ON_CPU_NS);
    }

    /** Returns the sum of an attribute over the states, in ns; -1 when it was not recorded. */
    long stateTotalNs(Attribute attribute) {
        return states.totalNs(attribute);
    }

    /** Returns how long the thread was on a CPU in {@code [fromNs, toNs)}, as far as it was recorded, in ns. */
    public long onCpuNs(long fromNs, long toNs) {
        return states.onCpuNs(fromNs, toNs);
    }

    /**
     * Returns how long the thread was ready without a CPU in {@code [fromNs, toNs)}, as far as it was recorded, in ns.
     */
    public long runnableNs(long fromNs, long toNs) {
        return states.runnableNs(fromNs, toNs);
    }

    /** Returns how long the thread was blocked in {@code [fromNs, toNs)}, as far as it was recorded, in ns. */
    long blockedNs(long fromNs, long toNs) {
        return states.blockedNs(fromNs, toNs);
    }

    /** Returns whether any stack of the thread was sampled. */
    public boolean isSampled() {
        return !samples.isEmpty();
    }

    /** Returns whether only states are recorded of the thread, no activities or stacks. */
    boolean isStateOnly() {
        return activities.isEmpty() && samples.isEmpty() && !states.isEmpty();
    }

    /** Returns the time with any recorded activity or sample, in ns. */
    public long recordedNs() {
        return recordedNs(true);
    }

    /** Returns the time with any recorded activity, or with a sample that shows no wait, in ns. */
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

    /** Splits {@code [fromNs, toNs)} into pieces of the thread's own activity. */
    public void cover(long fromNs, long toNs, Sink sink) {
        cover(fromNs, toNs, sink, sink);
    }

    /**
     * Splits {@code [fromNs, toNs)} into pieces; those in which the thread waited, or may have, go to {@code blocked}.
     */
    public void cover(long fromNs, long toNs, Sink sink, Sink blocked) {
        activities.begin(fromNs, toNs);
        if (isPlain && sink instanceof PlainSink plain) {
            while (activities.next()) {
                plain.takePlain(track, activities.pieceRow(), activities.pieceStartNs(), activities.pieceEndNs());
            }
            return;
        }
        while (activities.next()) {
            long startNs = activities.pieceStartNs();
            long endNs = activities.pieceEndNs();
            // Both begin and end where rows do, so an activity's piece lies inside one or outside all.
            if (isIn(builds, startNs, endNs)) {
                cover(
                        activities.pieceRow(),
                        startNs,
                        endNs,
                        piece -> build(piece, sink),
                        piece -> build(piece, blocked));
            } else if (isIn(withoutCalls, startNs, endNs)) {
                cover(
                        activities.pieceRow(),
                        startNs,
                        endNs,
                        piece -> compute(piece, sink),
                        piece -> compute(piece, blocked));
            } else {
                cover(activities.pieceRow(), startNs, endNs, sink, blocked);
            }
        }
    }

    private static boolean isIn(Intervals times, long startNs, long endNs) {
        return !times.isEmpty() && times.totalWithinNs(startNs, endNs) > 0;
    }

    private void cover(int row, long startNs, long endNs, Sink sink, Sink blocked) {
        if (row < 0 && !samples.isEmpty() && !hasSamplesBetweenRows) {
            coverSampled(startNs, endNs, sink, blocked);
        } else if (!samples.isEmpty() && (row < 0 || classifier.isPlacedBySamples(row))) {
            coverRepresented(row, startNs, endNs, sink, blocked);
        } else {
            give(startNs, endNs, row, -1, sink, blocked);
        }
    }

    /** Passes on a piece of a stretch in which code was built. What else the host did in it keeps its class. */
    private static void build(ThreadPiece piece, Sink sink) {
        if (piece.ledgerClass() == LedgerClass.FRAMEWORK_DISPATCH) {
            piece.spent(piece.ns(), LedgerClass.FRAMEWORK_COMPILE_LOAD, piece.state(), piece.basis());
        }
        sink.take(piece);
    }

    /** Passes on a piece of a stretch without calls: native code of operators computes on the CPU. */
    private void compute(ThreadPiece piece, Sink sink) {
        if (piece.ledgerClass() == LedgerClass.FRAMEWORK_DISPATCH && classifier.sawNative(piece.sample())) {
            piece.spent(piece.ns(), LedgerClass.CPU_NATIVE, piece.state(), piece.basis());
        }
        sink.take(piece);
    }

    private void coverSampled(long fromNs, long toNs, Sink sink, Sink blocked) {
        samples.begin(fromNs, toNs);
        while (samples.next()) {
            give(samples.pieceStartNs(), samples.pieceEndNs(), -1, samples.pieceRow(), sink, blocked);
        }
    }

    private void coverRepresented(int row, long fromNs, long toNs, Sink sink, Sink blocked) {
        int[] known = representing.get();
        int whole = activities.wholePiece();
        if (whole >= 0 && known[whole] > 0) {
            give(fromNs, toNs, row, known[whole] - KNOWN, sink, blocked);
            return;
        }
        RepresentativeSamples parts = representatives.get();
        parts.begin(row, fromNs, toNs);
        while (parts.next()) {
            if (whole >= 0 && parts.partEndNs() - parts.partStartNs() == toNs - fromNs) {
                known[whole] = parts.sample() + KNOWN;
            }
            give(parts.partStartNs(), parts.partEndNs(), row, parts.sample(), sink, blocked);
        }
    }

    /** Which sample represents the time on a CPU, or blocked, of a part that another sample represents as a whole. */
    private final class Speakers implements ThreadStates.Speakers {
        @Override
        public int running(int sample, int row) {
            return sample < 0 ? sample : representatives.get().forRunning(sample, row);
        }

        @Override
        public int blocked(int sample, int row) {
            return sample < 0 ? sample : representatives.get().forBlocked(sample, row);
        }

        @Override
        public int locked(int sample, int row) {
            return sample < 0 ? sample : representatives.get().forLocked(sample, row);
        }
    }

    private void give(long fromNs, long toNs, int row, int sample, Sink sink, Sink blocked) {
        if (!states.isEmpty() || sample >= 0) {
            states.spentOn(row, sample);
            states.split(fromNs, toNs, sink, blocked);
            return;
        }
        piece.place(track, row, sample, fromNs, toNs);
        piece.spent(
                toNs - fromNs,
                classifier.classify(row, sample),
                ThreadState.NOT_RECORDED,
                io.inferscope.analyzer.model.AmountBasis.MEASURED);
        (waitsByHandOver ? blocked : sink).take(piece);
    }
}
