package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Claimed;
import io.inferscope.analyzer.diff.Comparison.FindingChange;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Comparison.Outcome;
import io.inferscope.analyzer.diff.Comparison.RunPaces;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** The sentences at the head of a comparison. */
record Conclusion(
        Side before,
        Side after,
        Outcome outcome,
        Unit unit,
        Change pace,
        RunPaces runs,
        List<Group> groups,
        List<FindingChange> findings) {
    /** Least change of a class, as a share of a unit, that gets a sentence. */
    private static final double WORTH_SAYING = 0.02;

    private static final int CAUSES = 3;

    private static final int PLACES = 2;

    /** Least difference between the change of the mean and the change of the median step that gets a sentence. */
    private static final double UNLIKE = 0.05;

    /** Two runs of one program may differ by this much, which the steps of one run cannot show. */
    private static final double BETWEEN_RUNS = 0.10;

    /** Returns the sentences, the most important first; at least one. */
    List<String> sentences() {
        List<String> lines = new ArrayList<>();
        lines.add(head());
        if (outcome == Outcome.WITHHELD) {
            lines.add("As recorded, " + times() + " (" + Units.change(pace.grownRatio()) + ").");
        }
        if (outcome == Outcome.SAME || outcome == Outcome.INCOMPARABLE || outcome == Outcome.WITHHELD) {
            return lines;
        }
        if (!runs.isEmpty()) {
            lines.add(all(runs.beforeNs()) + " in the runs before, " + all(runs.afterNs())
                    + " in those after; below, those of median pace are compared.");
        } else if (outcome != Outcome.WITHIN_NOISE && Math.abs(ratio()) < BETWEEN_RUNS) {
            lines.add("One run of each: runs of one program may differ by as much. Give more of them to `--more-before`"
                    + " and `--more-after`.");
        }
        if (pace.shift() == null) {
            lines.add("The noise is unknown: " + samples() + ".");
        }
        claim().ifPresent(lines::add);
        slowSteps().ifPresent(lines::add);
        numberOfSteps().ifPresent(lines::add);
        requests().ifPresent(lines::add);
        changed("ledger", CAUSES).map(pieces -> Units.capitalised(pieces) + ".").ifPresent(lines::add);
        changed("places", PLACES).map(pieces -> "By place: " + pieces + ".").ifPresent(lines::add);
        changed(EntityKind.DEVICE_TIME.id(), PLACES)
                .map(pieces -> "Device time by operator: " + pieces + ".")
                .ifPresent(lines::add);
        verdicts().ifPresent(lines::add);
        return lines;
    }

    private String head() {
        return switch (outcome) {
            case SAME -> "No change: every figure is the same before and after.";
            case WITHHELD ->
                "No conclusion: the recording " + (before.isDistrusted() ? "before" : "after") + " cannot carry one: "
                        + (before.isDistrusted() ? before : after).distrust() + ".";
            case INCOMPARABLE ->
                "Not comparable: no kernel, operator, annotation or function of one recording is in the other.";
            case WITHIN_NOISE -> "No change beyond noise: " + times() + interval() + ".";
            case FASTER ->
                "Faster" + each() + times() + ", " + typically() + Units.percent(-ratio()) + " less" + interval() + ".";
            case SLOWER ->
                "Slower" + each() + times() + ", " + typically() + Units.percent(ratio()) + " more" + interval() + ".";
        };
    }

    /** Compares what was gained with what the largest finding that is gone, or has halved, had claimed. */
    private Optional<String> claim() {
        List<FindingChange> actedOn = Comparison.actedOn(findings, pace);
        if (actedOn.isEmpty() || actedOn.get(0).claimed() == null) {
            return Optional.empty();
        }
        FindingChange first = actedOn.get(0);
        Claimed claimed = Objects.requireNonNull(first.claimed());
        String others = actedOn.size() == 1 ? "" : ", as are " + (actedOn.size() - 1) + " other findings";
        return Optional.of(
                "`" + first.rule() + "` is " + (first.afterSeverity().isEmpty() ? "gone" : "smaller") + others
                        + ": claimed " + Units.percent(claimed.lowRatio()) + " to " + Units.percent(claimed.highRatio())
                        + ", got "
                        + got(claimed, actedOn.size() == 1) + ".");
    }

    private String got(Claimed claimed, boolean alone) {
        if (outcome == Outcome.WITHIN_NOISE) {
            return "nothing beyond noise";
        }
        double gained = -ratio();
        String figure = Units.percent(gained);
        if (gained < claimed.lowRatio()) {
            return figure + ", less than claimed";
        }
        return gained > claimed.highRatio() ? figure + (alone ? ", more than claimed" : " altogether") : figure;
    }

    private double ratio() {
        Shift shift = pace.shift();
        return shift == null ? pace.grownRatio() : shift.ratio() - 1;
    }

    /** Adds the change of a typical pair of steps, which may differ from the change of the medians. */
    private String typically() {
        return pace.shift() == null ? "" : runs.isEmpty() ? "typically " : "in all runs on average ";
    }

    private static String all(List<Long> ns) {
        return ns.stream().map(Units::duration).collect(Collectors.joining(", "));
    }

    private String samples() {
        if (!runs.isEmpty()) {
            return "it takes at least three runs altogether";
        }
        if (!unit.isDivided()) {
            return "each side is a single sample";
        }
        return before instanceof ReportedSide
                ? "a report holds no single " + unit.kind().id() + "s"
                : "there are " + Units.count((long) unit.before().count()) + " "
                        + unit.kind().id() + "s before and "
                        + Units.count((long) unit.after().count()) + " after, but at least " + RankShift.FEWEST
                        + " of each are needed";
    }

    /** Names a few slow steps: they change the mean, but not the median. */
    private Optional<String> slowSteps() {
        double mean = unit.after().meanNs() / unit.before().meanNs() - 1;
        return !unit.isStep() || Math.abs(mean - pace.grownRatio()) < UNLIKE
                ? Optional.empty()
                : Optional.of("On average, including slow steps and the time between steps, "
                        + time(unit.after().meanNs()) + " pass per step instead of "
                        + time(unit.before().meanNs()) + " (" + Units.change(mean) + ").");
    }

    /**
     * Says what another number of steps makes of the whole. Whether both did the same work is not recorded: there may be
     * more steps because the program ran for longer, or because it now needs more of them.
     */
    private Optional<String> numberOfSteps() {
        double one = unit.before().count();
        double other = unit.after().count();
        if (!unit.isStep() || Math.abs(other / one - 1) < UNLIKE) {
            return Optional.empty();
        }
        double grown = grownWhole();
        return Optional.of(Units.count((long) other) + " steps instead of " + Units.count((long) one)
                + ": all of them take " + time((double) unit.after().stretch().durationNs()) + " instead of "
                + time((double) unit.before().stretch().durationNs()) + " (" + Units.change(grown) + ")."
                + (isWholeOpposite()
                        ? " If both runs did the same work, this one is " + (grown > 0 ? "slower." : "faster.")
                        : ""));
    }

    /** Says how many requests were answered per second, and how long the slow ones took. */
    private Optional<String> requests() {
        return unit.kind() != WorkUnit.REQUEST
                ? Optional.empty()
                : Optional.of(requests(after, unit.after()) + "; before " + requests(before, unit.before()) + ".");
    }

    private String requests(Side side, Unit.Extent extent) {
        String slow = side.report().rows(HostTables.REQUESTS).stream()
                .filter(figures -> figures.name().equals(unit.label()))
                .findFirst()
                .map(figures -> ", p95 " + Units.duration(figures.p95Ns()))
                .orElse("");
        String rate = extent.part() == LedgerPart.REQUESTS
                ? String.format(
                        Locale.ROOT,
                        ", %.1f/s",
                        extent.count() * 1e9 / Math.max(1, extent.stretch().durationNs()))
                : "";
        return Units.count((long) extent.count()) + " requests" + rate + slow;
    }

    private double grownWhole() {
        return (double) unit.after().stretch().durationNs()
                        / unit.before().stretch().durationNs()
                - 1;
    }

    /** Returns whether a step became faster and all steps together slower, or the other way round. */
    private boolean isWholeOpposite() {
        double grown = grownWhole();
        return unit.isStep()
                && Math.abs(grown) >= UNLIKE
                && (outcome == Outcome.FASTER ? grown > 0 : outcome == Outcome.SLOWER && grown < 0);
    }

    /** Continues "Faster" or "Slower". */
    private String each() {
        return isWholeOpposite() ? " per step: " : ": ";
    }

    private String times() {
        if (unit.isRound()) {
            return "from one step `" + unit.label() + "` to the next it takes " + time(pace.afterNs()) + " instead of "
                    + time(pace.beforeNs());
        }
        return unit.words() + (unit.isDivided() ? " (`" + unit.label() + "`)" : "") + " takes " + time(pace.afterNs())
                + " instead of " + time(pace.beforeNs());
    }

    private String interval() {
        Shift shift = pace.shift();
        return shift == null
                ? ""
                : " (99% interval " + Units.change(shift.lowRatio() - 1) + " to " + Units.change(shift.highRatio() - 1)
                        + ")";
    }

    /** The entities of a group whose time changed most, those of the greater part first. */
    private Optional<String> changed(String group, int most) {
        double worth =
                WORTH_SAYING * Math.max(unit.before().meanNs(), unit.after().meanNs());
        List<String> pieces = groups.stream()
                .filter(g -> g.id().equals(group))
                .flatMap(g -> g.changes().stream())
                .filter(change -> Math.abs(change.grownNs()) >= worth)
                .limit(most)
                .map(Conclusion::piece)
                .toList();
        return pieces.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", pieces));
    }

    private static String piece(Change change) {
        if (change.beforeNs() == 0 || change.afterNs() == 0) {
            return change.name()
                    + (change.beforeNs() == 0 ? " is new: " : " is gone: ")
                    + time(Math.max(change.beforeNs(), change.afterNs()));
        }
        return change.name() + (change.grownNs() < 0 ? " fell by " : " grew by ") + time(Math.abs(change.grownNs()))
                + " (" + Units.change(change.grownRatio()) + ")";
    }

    private Optional<String> verdicts() {
        Bound one = before.report().verdict().bound();
        Bound other = after.report().verdict().bound();
        return one == other
                ? Optional.empty()
                : Optional.of("Verdict: " + one.id() + " before, " + other.id() + " after.");
    }

    private static String time(double ns) {
        return Units.duration(Math.round(ns));
    }
}
