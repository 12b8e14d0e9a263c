package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import java.math.BigInteger;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The recorded states of one thread, and how they split a part of its time. */
public final class ThreadStates {
    /** Tells which sample represents a part of a stretch's time; its result is searched for, so it is asked if needed. */
    interface Speakers {
        int running(int sample, int row);

        int blocked(int sample, int row);

        /** Returns the sample for time blocked on a lock or a condition. */
        int locked(int sample, int row);
    }

    /** No sample has been searched for yet. */
    private static final int UNKNOWN = -2;

    private final Timeline timeline;
    private final int track;
    private final ActivityClassifier classifier;
    private final Speakers speakers;
    private final int[] states;

    /** When the thread waited, as far as that was recorded; empty where it was not. */
    private final List<Intervals> recorded;

    /** By state: the CPU time beyond what was counted in it. */
    private final long[] lateNs;

    /** By reason of a wait: the recorded waits, then the time outside the model if the thread waits there. */
    private final Map<WaitsOutsideModel.Reason, Lazy<List<Intervals>>> waits =
            new EnumMap<>(WaitsOutsideModel.Reason.class);

    private final ThreadPiece piece = new ThreadPiece();

    /** The state that was split last, which may have thousands of parts: nothing of it is read again for each. */
    private @Nullable Split last;

    /**
     * A state and its shares.
     *
     * @param afterNs the end of the state before
     */
    private record Split(int state, long afterNs, long startNs, long endNs, WaitReason reason, StateShares shares) {}

    /** The activity and the sample that {@link #spentOn} set. */
    private int row;

    private int sample;

    /** The samples that represent the time on a CPU, blocked, and blocked on a lock. */
    private int awake;

    private int asleep;
    private int inLock;

    ThreadStates(Timeline timeline, int track, ActivityClassifier classifier, Speakers speakers) {
        this.speakers = speakers;
        this.timeline = timeline;
        this.track = track;
        this.classifier = classifier;
        this.states = timeline.rows(track, RowKind.THREAD_STATE).toArray();
        Intervals known = states.length == 0 ? null : KnownWaits.recorded(timeline, track);
        this.recorded = known == null || known.isEmpty() ? List.of() : List.of(known);
        for (WaitsOutsideModel.Reason reason : WaitsOutsideModel.Reason.values()) {
            waits.put(reason, new Lazy<>(() -> placesOf(reason)));
        }
        lateNs = recorded.isEmpty()
                ? new long[states.length]
                : CpuTickCorrection.find(timeline, states, recorded.get(0));
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
        return totalNs(fromNs, toNs, StateShares::runsNs);
    }

    long runnableNs(long fromNs, long toNs) {
        return totalNs(fromNs, toNs, StateShares::queuesNs);
    }

    long blockedNs(long fromNs, long toNs) {
        return totalNs(fromNs, toNs, StateShares::blocksNs);
    }

    private long totalNs(long fromNs, long toNs, ToLongFunction<StateShares> part) {
        long total = 0;
        for (int i = firstState(fromNs); i < states.length && timeline.startNs(states[i]) < toNs; i++) {
            long startNs = Math.max(fromNs, timeline.startNs(states[i]));
            long endNs = Math.min(toNs, timeline.endNs(states[i]));
            if (endNs > startNs) {
                StateShares shares = shares(i);
                shares.part(startNs, endNs);
                total += part.applyAsLong(shares);
            }
        }
        return total;
    }

    /**
     * Sets the activity of the next stretches.
     *
     * @param spentIn the innermost activity, -1 for none
     * @param seenBy the sample that represents it, -1 for none
     */
    void spentOn(int spentIn, int seenBy) {
        row = spentIn;
        sample = seenBy;
        awake = UNKNOWN;
        asleep = UNKNOWN;
        inLock = UNKNOWN;
    }

    private int awake() {
        awake = awake == UNKNOWN ? speakers.running(sample, row) : awake;
        return awake;
    }

    private int asleep() {
        asleep = asleep == UNKNOWN ? speakers.blocked(sample, row) : asleep;
        return asleep;
    }

    private int inLock() {
        inLock = inLock == UNKNOWN ? speakers.locked(sample, row) : inLock;
        return inLock;
    }

    /** Splits {@code [fromNs, toNs)}, spent in the activity of {@link #spentOn}, by the states recorded in it. */
    void split(long fromNs, long toNs, ThreadActivity.Sink sink, ThreadActivity.Sink blocked) {
        long cursor = fromNs;
        for (int state = firstState(fromNs); state < states.length && cursor < toNs; state++) {
            Split of = split(state);
            long startNs = Math.max(cursor, Math.min(toNs, of.startNs));
            long endNs = Math.max(startNs, Math.min(toNs, of.endNs));
            unknown(cursor, startNs, blocked);
            split(of, startNs, endNs, sink, blocked);
            cursor = endNs;
        }
        unknown(cursor, toNs, blocked);
    }

    private Split split(int state) {
        if (last == null || last.state != state) {
            int row = states[state];
            long afterNs = state == 0 ? Long.MIN_VALUE : timeline.endNs(states[state - 1]);
            last = new Split(
                    state,
                    afterNs,
                    timeline.startNs(row),
                    timeline.endNs(row),
                    WaitReason.of(timeline, row),
                    shares(state));
        }
        return last;
    }

    /** Time without a recorded state: a sample may show that the thread waited. */
    private void unknown(long fromNs, long toNs, ThreadActivity.Sink blocked) {
        if (fromNs < toNs) {
            piece.place(track, row, sample, fromNs, toNs);
            AmountBasis basis = AmountBasis.MEASURED.sampled(classifier.weightNs(row, sample));
            piece.spent(toNs - fromNs, classifier.classify(row, sample), ThreadState.NOT_RECORDED, basis);
            blocked.take(piece);
        }
    }

    private int firstState(long fromNs) {
        return last != null && last.afterNs <= fromNs && fromNs < last.endNs
                ? last.state
                : BinarySearch.first(0, states.length, i -> timeline.endNs(states[i]) > fromNs);
    }

    private StateShares shares(int state) {
        return new StateShares(timeline, states[state], waits(states[state]), lateNs[state]);
    }

    private void split(Split of, long fromNs, long toNs, ThreadActivity.Sink sink, ThreadActivity.Sink blocked) {
        int stateRow = states[of.state];
        StateShares shares = of.shares;
        long endNs;
        for (long startNs = fromNs; startNs < toNs; startNs = endNs) {
            endNs = shares.endOfPartNs(startNs, toNs);
            shares.part(startNs, endNs);
            if (shares.runsNs() > 0) {
                begin(stateRow, startNs, endNs, awake());
                AmountBasis basis = shares.runs().sampled(classifier.weightNs(row, awake()));
                piece.spent(shares.runsNs(), classifier.classifyRunning(row, awake()), ThreadState.RUNNING, basis);
                sink.take(piece);
            }
            if (shares.queuesNs() > 0) {
                begin(stateRow, startNs, endNs, awake());
                piece.spent(shares.queuesNs(), LedgerClass.WAIT_RUN_QUEUE, ThreadState.RUNNABLE, shares.queues());
                sink.take(piece);
            }
            if (shares.blocksNs() > 0) {
                int blockedBy = mayHoldGil(stateRow) ? sample : isLock(of.reason) ? inLock() : asleep();
                begin(stateRow, startNs, endNs, blockedBy);
                LedgerClass cause = classifier.classifyBlocked(stateRow, row, blockedBy);
                piece.spent(shares.blocksNs(), cause, classifier.stateOf(stateRow, cause), shares.blocks());
                blocked.take(piece);
            }
        }
    }

    private List<Intervals> waits(int stateRow) {
        Lazy<List<Intervals>> found = waits.get(WaitsOutsideModel.Reason.of(timeline, stateRow));
        return found == null ? recorded : found.get();
    }

    private List<Intervals> placesOf(WaitsOutsideModel.Reason reason) {
        Intervals outside = classifier.hasDeviceWork() ? null : WaitsOutsideModel.find(timeline, track, states, reason);
        if (outside == null) {
            return recorded;
        }
        return recorded.isEmpty() ? List.of(outside) : List.of(recorded.get(0), outside.minus(recorded.get(0)));
    }

    /** In a page fault, and stopped, a thread keeps its locks: a sample that saw it hold the GIL may have seen that. */
    private boolean mayHoldGil(int stateRow) {
        ThreadState state = ThreadState.blockedIn(timeline, stateRow);
        return state == ThreadState.PAGE_FAULT || state == ThreadState.STOPPED;
    }

    private static boolean isLock(WaitReason reason) {
        return reason == WaitReason.FUTEX || reason == WaitReason.LOCK;
    }

    private void begin(int stateRow, long fromNs, long toNs, int speaker) {
        piece.place(track, row, speaker, fromNs, toNs);
        piece.stateRow(stateRow);
    }

    /**
     * Returns {@code partNs * totalNs / lengthNs}. Exact: a double has too few bits for the product from 0.1 s on, a
     * long from 3 s on.
     */
    public static long shareOfFirst(long partNs, long totalNs, long lengthNs) {
        long product = partNs * totalNs;
        if (product >= 0 && Math.multiplyHigh(partNs, totalNs) == 0) {
            return product / lengthNs;
        }
        return BigInteger.valueOf(partNs)
                .multiply(BigInteger.valueOf(totalNs))
                .divide(BigInteger.valueOf(lengthNs))
                .longValue();
    }
}
