package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Claimed;
import io.inferscope.analyzer.diff.Comparison.FindingChange;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Comparison.Outcome;
import io.inferscope.analyzer.diff.Comparison.RunPaces;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.Stretch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares two recordings: aligns their entities by name, divides by units of work, and decides which differences
 * exceed noise. The definitions are in docs/diff.md.
 */
public final class Diff {
    /** Groups that are meaningful for recordings without common names. */
    private static final List<String> WHOLES = List.of("parts", "ledger");

    private final Side before;
    private final Side after;
    private final @Nullable RepeatedRuns runs;
    private final Unit unit;
    private final Changes changes;

    private Diff(Side before, Side after, @Nullable RepeatedRuns runs) {
        this.before = before;
        this.after = after;
        this.runs = runs;
        this.unit = Unit.of(before, after);
        this.changes = new Changes(before, after, unit);
    }

    /**
     * Compares {@code after} with {@code before}. If one of them is a report, only the report of the other is compared.
     */
    public static Comparison of(Side before, Side after) {
        return of(before, after, null);
    }

    /**
     * Compares two of several runs; the change of the pace is that of all runs.
     *
     * @param runs all of them; null if there are no others
     */
    public static Comparison of(Side before, Side after, @Nullable RepeatedRuns runs) {
        boolean recorded = before instanceof RecordedSide && after instanceof RecordedSide;
        Diff diff = recorded ? new Diff(before, after, runs) : new Diff(before.reported(), after.reported(), runs);
        return diff.compare();
    }

    private Comparison compare() {
        Change pace = new Change(
                unit.kind().id(),
                "",
                unit.label(),
                1,
                1,
                unit.before().medianNs(),
                unit.after().medianNs(),
                runs == null
                        ? RankShift.of(unit.before().durationsNs(), unit.after().durationsNs())
                        : runs.shift());
        RunPaces paces = runs == null ? RunPaces.NONE : runs.paces();
        List<Group> groups = groups();
        Outcome outcome = outcome(pace, groups);
        List<FindingChange> findings = findings();
        if (outcome == Outcome.INCOMPARABLE) {
            groups.removeIf(group -> !WHOLES.contains(group.id()));
        }
        return new Comparison(
                before.party(unit.before().count()),
                after.party(unit.after().count()),
                outcome,
                new Conclusion(before, after, outcome, unit, pace, paces, groups, findings).sentences(),
                Comparability.cautions(before, after, unit),
                unit.kind(),
                pace,
                paces,
                groups,
                findings);
    }

    private List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        groups.add(WindowComparison.of(before, after));
        groups.add(WindowComparison.steps(before, after));
        groups.add(changes.ledger());
        groups.add(changes.places());
        for (EntityKind things : EntityKind.values()) {
            groups.add(changes.things(things));
        }
        groups.removeIf(group -> group.changes().isEmpty());
        return groups;
    }

    private Outcome outcome(Change pace, List<Group> groups) {
        boolean same = pace.isSame()
                && groups.stream().flatMap(g -> g.changes().stream()).allMatch(Change::isSame);
        if (same) {
            return Outcome.SAME;
        }
        if (before.isDistrusted() || after.isDistrusted()) {
            return Outcome.WITHHELD;
        }
        if (Comparability.nothingInCommon(before, after)) {
            return Outcome.INCOMPARABLE;
        }
        Shift shift = pace.shift();
        if (pace.grownNs() == 0 || (shift != null && !shift.isBeyondNoise())) {
            return Outcome.WITHIN_NOISE;
        }
        return (shift == null ? pace.grownNs() : shift.ratio() - 1) < 0 ? Outcome.FASTER : Outcome.SLOWER;
    }

    private List<FindingChange> findings() {
        Map<String, Finding> one = byRule(before);
        Map<String, Finding> other = byRule(after);
        List<FindingChange> list = new ArrayList<>();
        Pairing.of(one, other).forEach(pair -> {
            Finding a = pair.before();
            Finding b = pair.after();
            list.add(new FindingChange(
                    pair.name(),
                    a == null ? "" : a.severity().id(),
                    b == null ? "" : b.severity().id(),
                    a == null ? 0 : a.costNs() / unit.before().count(),
                    b == null ? 0 : b.costNs() / unit.after().count(),
                    a == null ? null : claimed(a)));
        });
        return list;
    }

    /**
     * Returns the gain of a finding before, as a ratio of what is compared: the judged part, if it consists of the steps
     * that are compared, the time of the threads that served the requests, or the whole that contains it.
     */
    private @Nullable Claimed claimed(Finding finding) {
        Gain gain = finding.gain();
        Stretch of = unit.isStep()
                ? before.report().judged().stretch()
                : unit.before().stretch();
        double ns = unit.before().part() == LedgerPart.REQUESTS
                ? before.ledger(LedgerPart.REQUESTS).map(Ledger::durationNs).orElse(0L)
                : of.durationNs();
        return gain == null || ns == 0 ? null : new Claimed(gain.lowNs() / ns, gain.highNs() / ns);
    }

    private static Map<String, Finding> byRule(Side side) {
        Map<String, Finding> byRule = new TreeMap<>();
        side.report().findings().forEach(finding -> byRule.putIfAbsent(finding.rule(), finding));
        return byRule;
    }
}
