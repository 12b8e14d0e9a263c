package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Phases;
import io.inferscope.analyzer.steps.Phases.Phase;
import io.inferscope.analyzer.steps.Step;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Where phases and steps divide time, read as a cursor: {@link #begin}, then {@link #next} until it returns false.
 * Requested intervals should follow each other in time.
 */
public final class PhaseStepCursor {
    private final List<Phase> kinds;

    /** When each part starts; it lasts to the start of the next one, the last one for ever. */
    private final long[] startsNs;

    /** Of each part: the numbers of its phase and of its step, -1 for none. */
    private final int[] phases;

    private final int[] steps;

    private int at;
    private long cursorNs;
    private long stopNs;
    private long partStartNs;
    private int part;

    /** Divides by nothing. */
    public static PhaseStepCursor none() {
        return new PhaseStepCursor(List.of(), List.of());
    }

    /** Divides by phases and by steps. */
    public static PhaseStepCursor by(Phases found) {
        return new PhaseStepCursor(found.phases(), found.steps());
    }

    /** Divides by phases. */
    public static PhaseStepCursor byPhases(Phases found) {
        return new PhaseStepCursor(found.phases(), List.of());
    }

    private PhaseStepCursor(List<Phase> kinds, List<Step> all) {
        this.kinds = kinds;
        LongStream ofPhases = kinds.stream()
                .map(Phase::stretch)
                .flatMapToLong(phase -> LongStream.of(phase.startNs(), phase.endNs()));
        LongStream ofSteps = all.stream().flatMapToLong(step -> LongStream.of(step.startNs(), step.endNs()));
        startsNs = LongStream.concat(LongStream.of(Long.MIN_VALUE), LongStream.concat(ofPhases, ofSteps))
                .sorted()
                .distinct()
                .toArray();
        phases = new int[startsNs.length];
        steps = new int[startsNs.length];
        Arrays.fill(phases, -1);
        Arrays.fill(steps, -1);
        for (int phase = 0; phase < kinds.size(); phase++) {
            Stretch stretch = kinds.get(phase).stretch();
            Arrays.fill(phases, first(stretch.startNs()), first(stretch.endNs()), phase);
        }
        for (int step = 0; step < all.size(); step++) {
            Arrays.fill(
                    steps, first(all.get(step).startNs()), first(all.get(step).endNs()), step);
        }
    }

    private int first(long timeNs) {
        return Arrays.binarySearch(startsNs, timeNs);
    }

    /** Starts with the first part of {@code [fromNs, toNs)}. */
    void begin(long fromNs, long toNs) {
        if (startsNs[at] > fromNs) {
            at = 0;
        }
        if (at + 1 < startsNs.length && startsNs[at + 1] <= fromNs) {
            int found = Arrays.binarySearch(startsNs, at, startsNs.length, fromNs);
            at = found < 0 ? -found - 2 : found;
        }
        cursorNs = fromNs;
        stopNs = toNs;
    }

    /** Moves on to the next part; returns false when there is none. */
    boolean next() {
        if (cursorNs >= stopNs) {
            return false;
        }
        while (at + 1 < startsNs.length && startsNs[at + 1] <= cursorNs) {
            at++;
        }
        part = at;
        partStartNs = cursorNs;
        cursorNs = at + 1 < startsNs.length ? Math.min(stopNs, startsNs[at + 1]) : stopNs;
        return true;
    }

    long partStartNs() {
        return partStartNs;
    }

    long partEndNs() {
        return cursorNs;
    }

    /** Returns whether it divides by phases. */
    boolean hasPhases() {
        return !kinds.isEmpty();
    }

    /** Returns the number of the phase of the current part, -1 for none. */
    int phase() {
        return phases[part];
    }

    /** Returns the kind of that phase, null for none. */
    @Nullable
    PhaseKind phaseKind() {
        return phases[part] < 0 ? null : kinds.get(phases[part]).kind();
    }

    /** Returns the number of the step of the current part, -1 for none. */
    int step() {
        return steps[part];
    }
}
