package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Order;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * The unit of work by which two recordings are divided, so that a longer recording is not a slower one.
 *
 * @param kind whether it is a step, a request, the span or the window
 * @param label what a step or request is called; empty without them
 * @param isRound whether a unit lasts from the end of one such step to the end of the next, steps of other names between
 *     them included
 * @param before the compared part of the recording before
 * @param after the compared part of the recording after
 */
record Unit(WorkUnit kind, String label, boolean isRound, Extent before, Extent after) {
    /** Steps must cover at least this ratio of a stretch to represent it. */
    private static final double MOST = 0.8;

    /** A name with at least this many steps per step of the unit's name is a part of each round. */
    private static final double IN_ROUNDS = 0.5;

    /**
     * The compared part of a recording.
     *
     * @param part the part whose ledger it is
     * @param stretch when that was
     * @param steps its steps or requests; none if it is compared as a whole
     */
    record Extent(LedgerPart part, Stretch stretch, StepLengths steps) {
        /** Returns its number of units. */
        double count() {
            return Math.max(1, steps.count());
        }

        /** Returns the length of each unit in the order of time; none where single steps are not known. */
        long[] durationsNs() {
            return steps.count() == 0 ? new long[] {stretch.durationNs()} : steps.durationsNs();
        }

        /** Returns the median length, the shorter of two middle ones. */
        long medianNs() {
            return steps.count() == 0 ? stretch.durationNs() : steps.medianNs();
        }

        /** Returns the part's length per unit. */
        double meanNs() {
            return stretch.durationNs() / count();
        }
    }

    boolean isStep() {
        return kind == WorkUnit.STEP;
    }

    /** Returns whether recordings are divided by a number of units. */
    boolean isDivided() {
        return isStep() || kind == WorkUnit.REQUEST;
    }

    /** Returns what one unit is called in a sentence: {@code a step}, {@code the window}. */
    String words() {
        return (isDivided() ? "a " : "the ") + kind.id();
    }

    /**
     * Chooses the unit: steps, if both recordings consist of steps (of the steady state, if there is one); otherwise
     * requests, if both recordings have several of one name; otherwise spans, if both judge a device, because the time
     * outside the span need not be the same part of the program; otherwise windows.
     */
    static Unit of(Side before, Side after) {
        boolean devices = before.device().isPresent() && after.device().isPresent();
        LedgerPart whole = devices ? LedgerPart.SPAN : LedgerPart.WINDOW;
        Map<String, StepLengths> one = steps(before, whole);
        Map<String, StepLengths> other = steps(after, whole);
        return common(one, other)
                .filter(label -> consistsOf(before, whole, one) && consistsOf(after, whole, other))
                .map(label -> ofSteps(label, before, one, after, other, whole))
                .or(() -> ofRequests(before, after, whole))
                .orElseGet(() -> new Unit(WorkUnit.of(whole), "", false, extent(before, whole), extent(after, whole)));
    }

    /** Returns the name with most time before of those that both have. */
    private static Optional<String> common(Map<String, StepLengths> one, Map<String, StepLengths> other) {
        return one.keySet().stream()
                .filter(other::containsKey)
                .max(Order.<String>comparingLong(label ->
                                one.getOrDefault(label, StepLengths.NONE).totalNs())
                        .thenComparing(Comparator.reverseOrder()));
    }

    /** How long a service was recorded, and how many requests came, says nothing about the service. */
    private static Optional<Unit> ofRequests(Side before, Side after, LedgerPart whole) {
        Map<String, StepLengths> one = requests(before, whole);
        Map<String, StepLengths> other = requests(after, whole);
        return common(one, other)
                .map(label -> new Unit(
                        WorkUnit.REQUEST,
                        label,
                        false,
                        extent(before, whole, label, one, false),
                        extent(after, whole, label, other, false)));
    }

    /** Returns the requests of a recording's compared part, by name: names of a few are left out. */
    private static Map<String, StepLengths> requests(Side side, LedgerPart whole) {
        Map<String, StepLengths> requests = side.requests(stretch(side, part(side, whole)));
        requests.values().removeIf(lengths -> lengths.count() < RankShift.FEWEST);
        return requests;
    }

    private static Unit ofSteps(
            String label,
            Side before,
            Map<String, StepLengths> one,
            Side after,
            Map<String, StepLengths> other,
            LedgerPart whole) {
        boolean rounds = hasRounds(label, one) || hasRounds(label, other);
        return new Unit(
                WorkUnit.STEP,
                label,
                rounds,
                extent(before, whole, label, one, rounds),
                extent(after, whole, label, other, rounds));
    }

    /**
     * Returns whether steps of other names alternate with those of a name, as an encoder's with a decoder's. A change
     * between two such steps may lie in any of them.
     */
    private static boolean hasRounds(String label, Map<String, StepLengths> steps) {
        long count = steps.getOrDefault(label, StepLengths.NONE).count();
        return steps.entrySet().stream()
                .anyMatch(entry ->
                        !entry.getKey().equals(label) && entry.getValue().count() >= IN_ROUNDS * count);
    }

    /** Returns the steps of a recording's compared part, by name. */
    static Map<String, StepLengths> steps(Side side, LedgerPart whole) {
        return side.steps(stretch(side, part(side, whole)));
    }

    /** Returns the part of a recording that is compared if its steps are. */
    static Stretch judged(Side side) {
        return stretch(side, part(side, side.device().isPresent() ? LedgerPart.SPAN : LedgerPart.WINDOW));
    }

    private static boolean consistsOf(Side side, LedgerPart whole, Map<String, StepLengths> steps) {
        long ns = steps.values().stream().mapToLong(StepLengths::totalNs).sum();
        return ns >= MOST * stretch(side, part(side, whole)).durationNs();
    }

    private static Extent extent(
            Side side, LedgerPart whole, String label, Map<String, StepLengths> steps, boolean rounds) {
        LedgerPart part = part(side, whole);
        Stretch stretch = stretch(side, part);
        return new Extent(
                part, stretch, rounds ? side.rounds(label, stretch) : steps.getOrDefault(label, StepLengths.NONE));
    }

    private static Extent extent(Side side, LedgerPart whole) {
        return new Extent(whole, stretch(side, whole), StepLengths.NONE);
    }

    private static LedgerPart part(Side side, LedgerPart whole) {
        LedgerPart judged = side.report().judged().what();
        return judged == LedgerPart.STEADY_STATE || judged == LedgerPart.REQUESTS ? judged : whole;
    }

    private static Stretch stretch(Side side, LedgerPart part) {
        return switch (part) {
            case STEADY_STATE, REQUESTS -> side.report().judged().stretch();
            case SPAN ->
                side.device()
                        .map(device -> new Stretch(device.firstNs(), device.lastNs()))
                        .orElseThrow();
            default -> side.report().window();
        };
    }
}
