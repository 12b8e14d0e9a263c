package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What one host thread was doing: its innermost activity at every instant, and its state where a recorder looked.
 *
 * <p>Where no measured activity covers an instant, the stack sample that covers it says what the thread did; where the innermost activity
 * is coarse (the script, a scope, the model), the sample that {@link SpeakingSamples speaks} for it says what was done inside. Both are
 * estimates; {@link io.inferscope.analyzer.model.SamplingError} bounds their error. A state that was recorded wins over what a sample saw
 * of waiting. What the thread only waited for may be another thread's doing: {@link Following}.
 */
public final class ThreadActivity {
    /** Takes the pieces of a stretch of a thread's time. They sum to its length. */
    public interface Sink {
        /** Takes a piece, which is valid during the call only. */
        void take(Piece piece);
    }

    private final Timeline timeline;
    private final int track;
    private final ActivityClassifier classifier;
    private final Segments activities;
    private final Segments samples;
    private final int[] sampleRows;
    private final ThreadStates states;

    /** Whether its hand-overs alone tell when the thread waited. */
    private final boolean waitsByHandOver;

    private final Piece piece = new Piece();

    /** Whether a sample is known to have been taken between two rows, rather than in one of them. */
    private final boolean speaksBetweenRows;

    private @Nullable SpeakingSamples speaking;

    ThreadActivity(Timeline timeline, int track, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.track = track;
        this.classifier = classifier;
        int[] counts = new int[RowKind.values().length];
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            counts[timeline.kind(row).ordinal()]++;
        }
        this.activities = segments(RowKind::isHostActivity, counts);
        this.samples = segments(kind -> kind == RowKind.STACK_SAMPLE, counts);
        this.speaksBetweenRows = timeline.has(Attribute.LOOKED_NS) && !activities.isEmpty();
        this.sampleRows = sampleRows(counts[RowKind.STACK_SAMPLE.ordinal()]);
        int handOvers = counts[RowKind.HAND_OVER.ordinal()];
        this.waitsByHandOver = handOvers > 0 && counts[RowKind.THREAD_STATE.ordinal()] == 0;
        this.states = new ThreadStates(timeline, track, counts[RowKind.THREAD_STATE.ordinal()], handOvers, classifier);
    }

    boolean waitsByHandOver() {
        return waitsByHandOver;
    }

    private Segments segments(Predicate<RowKind> kinds, int[] counts) {
        int most = Arrays.stream(RowKind.values())
                .filter(kinds)
                .mapToInt(kind -> counts[kind.ordinal()])
                .sum();
        return new Segments(timeline, track, kinds, most);
    }

    private int[] sampleRows(int count) {
        int[] found = new int[count];
        int i = 0;
        for (int row = timeline.firstRow(track); i < count; row++) {
            if (timeline.kind(row) == RowKind.STACK_SAMPLE) {
                found[i++] = row;
            }
        }
        return found;
    }

    /** Returns whether a recorder measured how long the thread was on a CPU; one that only saw it wait did not. */
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

    /** Returns how long the thread was ready without a CPU in {@code [fromNs, toNs)}, as far as it was recorded, in ns. */
    long runnableNs(long fromNs, long toNs) {
        return states.runnableNs(fromNs, toNs);
    }

    /** Returns how long the thread was blocked in {@code [fromNs, toNs)}, as far as it was recorded, in ns. */
    long blockedNs(long fromNs, long toNs) {
        return states.blockedNs(fromNs, toNs);
    }

    /** Returns whether only the thread's states are recorded: it runs no code whose activities or stacks are recorded. */
    boolean isStateOnly() {
        return activities.isEmpty() && samples.isEmpty() && !states.isEmpty();
    }

    /** Returns the time with any recorded activity or sample, in ns. */
    public long recordedNs() {
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

    /** Splits {@code [fromNs, toNs)} into pieces of what the thread itself did. */
    public void cover(long fromNs, long toNs, Sink sink) {
        cover(fromNs, toNs, sink, sink);
    }

    /** Splits {@code [fromNs, toNs)} into pieces; those in which the thread waited, or may have, go to {@code blocked}. */
    public void cover(long fromNs, long toNs, Sink sink, Sink blocked) {
        activities.begin(fromNs, toNs);
        while (activities.next()) {
            int row = activities.pieceRow();
            if (row < 0 && !samples.isEmpty() && !speaksBetweenRows) {
                coverSampled(activities.pieceStartNs(), activities.pieceEndNs(), sink, blocked);
            } else if (!samples.isEmpty() && (row < 0 || classifier.isPlacedBySamples(row))) {
                coverTold(row, activities.pieceStartNs(), activities.pieceEndNs(), sink, blocked);
            } else {
                give(activities.pieceStartNs(), activities.pieceEndNs(), row, -1, sink, blocked);
            }
        }
    }

    private void coverSampled(long fromNs, long toNs, Sink sink, Sink blocked) {
        samples.begin(fromNs, toNs);
        while (samples.next()) {
            give(samples.pieceStartNs(), samples.pieceEndNs(), -1, samples.pieceRow(), sink, blocked);
        }
    }

    private SpeakingSamples speaking() {
        if (speaking == null) {
            speaking = new SpeakingSamples(timeline, classifier, sampleRows, samples.again(), activities.again());
        }
        return speaking;
    }

    private void coverTold(int row, long fromNs, long toNs, Sink sink, Sink blocked) {
        SpeakingSamples parts = speaking();
        parts.begin(row, fromNs, toNs);
        while (parts.next()) {
            give(parts.partStartNs(), parts.partEndNs(), row, parts.sample(), sink, blocked);
        }
    }

    private int awake(int sample, int row) {
        return sample < 0 || states.isEmpty() ? sample : speaking().awake(sample, row);
    }

    private int asleep(int sample, int row) {
        return sample < 0 || states.isEmpty() ? sample : speaking().asleep(sample, row);
    }

    private void give(long fromNs, long toNs, int row, int sample, Sink sink, Sink blocked) {
        if (!states.isEmpty() || sample >= 0) {
            states.spentOn(row, sample, awake(sample, row), asleep(sample, row));
            states.split(fromNs, toNs, sink, blocked);
            return;
        }
        piece.place(track, row, sample, fromNs, toNs);
        piece.spent(
                toNs - fromNs,
                classifier.classify(row, sample),
                ThreadState.NOT_RECORDED,
                io.inferscope.analyzer.model.Basis.MEASURED);
        (waitsByHandOver ? blocked : sink).take(piece);
    }
}
