package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.CostlyPlaceRule.PlaceFound;
import io.inferscope.analyzer.tables.OwnPlaces.Place;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Joins findings about a place with those about the classes of its time, so that nothing is told twice. Where one
 * finding about classes is nearly the same time, that one names the place. Where a place's cost spreads over classes,
 * findings about these classes that mostly lie there become part of the place's finding.
 */
final class PlacesFirst {
    private static final double NEARLY_ALL = 0.8;

    /** The costs of a place and of a finding about its classes differ by no more than this share of the judged part. */
    private static final double MOST_APART = 0.03;

    /** A finding whose cost differs by less from the time of its classes reports all of their time. */
    private static final double SAME_TIME = 0.02;

    private static final Set<LedgerClass> WORKS_FOR_LINE =
            Set.of(LedgerClass.WAIT_GC, LedgerClass.WAIT_CHILD_PROCESS, LedgerClass.WAIT_IO);

    private final Map<RuleInfo, Verdict> verdicts;
    private final Ledger ledger;
    private final RuleSettings settings;

    private PlacesFirst(Map<RuleInfo, Verdict> verdicts, Analysis analysis, RuleSettings settings) {
        this.verdicts = verdicts;
        this.ledger = HostShare.judged(analysis);
        this.settings = settings;
    }

    /** Joins the findings in {@code verdicts}. */
    static Map<RuleInfo, Verdict> join(Map<RuleInfo, Verdict> verdicts, Analysis analysis, RuleSettings settings) {
        for (Rule rule : Rules.ALL) {
            if (rule instanceof CostlyPlaceRule places && verdicts.get(rule.info()) instanceof Verdict.Found found) {
                new PlacesFirst(verdicts, analysis, settings).join(rule.info(), found, places.judged(analysis));
            }
        }
        return verdicts;
    }

    private void join(RuleInfo rule, Verdict.Found found, List<PlaceFound> places) {
        List<Verdict.Found> left = new ArrayList<>();
        for (PlaceFound place : places) {
            tellInput(place.place());
            Optional<RuleInfo> same =
                    CostlyPlaceRule.made(place.place()).isPresent() ? Optional.empty() : same(place.place());
            if (same.isPresent()) {
                name(same.get(), place);
            } else if (isToldAsWait(place.place())) {
                nameWaiting(place.place());
            } else if (!isToldAsInput(place.place())) {
                left.add(attach(place));
            }
        }
        found.each().stream()
                .filter(one -> !one.finding().of().equals(ledger.what()))
                .forEach(left::add);
        verdicts.put(
                rule,
                left.isEmpty()
                        ? new Verdict.ToldElsewhere("the findings about the classes of its time name the place")
                        : Verdict.Found.of(left));
    }

    /**
     * Where the judged thread itself makes its batches, a place beneath the line that asks for one is what to change:
     * nothing waits for it.
     */
    private void tellInput(Place place) {
        boolean itself = !place.followed() && isWork(place.largest());
        verdicts.replaceAll((info, verdict) -> itself
                        && info.id().equals(InputBoundRule.ID)
                        && verdict instanceof Verdict.Found found
                        && found.finding().places().stream().anyMatch(place.path()::contains)
                        && 2 * place.ns() >= found.finding().costNs()
                ? new Verdict.ToldElsewhere(
                        "the thread makes its batches itself, mostly at " + CostlyPlaceRule.shortName(place.line()))
                : verdict);
    }

    /** Returns the rule whose finding reports nearly the same time as a place. */
    private Optional<RuleInfo> same(Place place) {
        return verdicts.keySet().stream()
                .filter(info -> lies(info, place)
                        .filter(finding -> isNearlyAll(place, finding))
                        .filter(finding -> !isGarbageOf(place, finding))
                        .isPresent())
                .max(Order.comparingLong(info -> costNs(info)));
    }

    private boolean isNearlyAll(Place place, Finding finding) {
        long toldNs = place.nsOf(finding.causes());
        long otherNs = Math.max(place.withoutStarvingNs(), finding.costNs()) - toldNs;
        return toldNs >= NEARLY_ALL * place.withoutStarvingNs() && ledger.share(otherNs) <= MOST_APART;
    }

    /** Returns whether a finding is about the garbage of what a place calls: less of the call helps more. */
    private static boolean isGarbageOf(Place place, Finding finding) {
        return finding.causes().equals(List.of(LedgerClass.WAIT_GC))
                && !place.calls().isEmpty();
    }

    private long costNs(RuleInfo info) {
        return verdicts.get(info) instanceof Verdict.Found found
                ? found.finding().costNs()
                : 0;
    }

    /** Returns the finding of a rule about classes that work, if most of their time lies at a place. */
    private Optional<Finding> lies(RuleInfo info, Place place) {
        if (!(verdicts.get(info) instanceof Verdict.Found found)
                || info.id().equals(CostlyPlaceRule.ID)
                || settings.severities().containsKey(info.id())) {
            return Optional.empty();
        }
        Finding finding = found.finding();
        boolean works = !finding.causes().isEmpty() && finding.causes().stream().allMatch(PlacesFirst::isWork);
        boolean all =
                Math.abs(HostShare.ns(ledger, finding.causes()) - finding.costNs()) <= SAME_TIME * finding.costNs();
        return works
                        && all
                        && finding.severity() != Severity.HEALTHY
                        && finding.of().equals(ledger.what())
                        && place.nsOf(finding.causes()) >= NEARLY_ALL * finding.costNs()
                ? Optional.of(finding)
                : Optional.empty();
    }

    /** A command that a line runs works for that line, and so does a disk. */
    private static boolean isWork(LedgerClass of) {
        return !of.isWaiting() || WORKS_FOR_LINE.contains(of);
    }

    /**
     * Returns whether a finding is about the wait of a place that mostly waits, and tells nearly all of it: such a finding
     * names who ends the wait.
     */
    private boolean isToldAsWait(Place place) {
        long waitsNs = place.classes().getOrDefault(place.largest(), 0L);
        double nearlyNs = NEARLY_ALL * place.withoutStarvingNs();
        return !isWork(place.largest())
                && 2 * waitsNs >= place.withoutStarvingNs()
                && verdicts.values().stream()
                        .anyMatch(verdict -> tellsWait(verdict, place)
                                && (waitsNs >= nearlyNs
                                        || ((Verdict.Found) verdict).finding().costNs() >= nearlyNs));
    }

    private static boolean tellsWait(Verdict verdict, Place place) {
        return verdict instanceof Verdict.Found found
                && !found.finding().rule().equals(CostlyPlaceRule.ID)
                && found.finding().causes().contains(place.largest());
    }

    /** Names the line that waits in the findings about its wait that name only the lines of those it waits for. */
    private void nameWaiting(Place place) {
        long waitsNs = place.classes().getOrDefault(place.largest(), 0L);
        verdicts.replaceAll((info, verdict) -> place.followed()
                        && tellsWait(verdict, place)
                        && verdict instanceof Verdict.Found found
                        && 2 * waitsNs >= found.finding().costNs()
                        && !found.finding().places().contains(place.line())
                ? found.with(found.finding().waitedAt(place.line(), waitsNs, Math.max(1, place.count())))
                : verdict);
    }

    /**
     * Returns whether a place is where the thread asks for a batch that others make. If nobody is known who makes them, and
     * the line costs more than the waits, as it starts workers, too, then its whole cost is told.
     */
    private boolean isToldAsInput(Place place) {
        return verdicts.entrySet().stream()
                .anyMatch(of -> of.getKey().id().equals(InputBoundRule.ID)
                        && of.getValue() instanceof Verdict.Found found
                        && found.finding().of().equals(ledger.what())
                        && found.finding().places().contains(place.line())
                        && !isPartOf(place, found.finding()));
    }

    private boolean isPartOf(Place place, Finding input) {
        return input.places().indexOf(place.line()) == 0
                && ledger.share(place.withoutStarvingNs() - input.costNs()) > MOST_APART;
    }

    /** Puts the place before what a finding claims: its cost is the same, and is told once. */
    private void name(RuleInfo info, PlaceFound at) {
        if (verdicts.get(info) instanceof Verdict.Found found) {
            Finding finding = found.finding();
            Finding place = at.verdict().finding();
            Finding told = finding.withClaim(at.subject() + ": " + finding.claim())
                    .withAdvice(CostlyPlaceRule.remedy(at.place()).orElse(finding.advice()))
                    .withSeverity(Collections.min(List.of(finding.severity(), place.severity())));
            verdicts.put(info, found.with(orWholeLine(told, place)));
        }
    }

    /** Raises the upper end of a finding's gain to the line's, all of whose work may go with what the finding is about. */
    private Finding orWholeLine(Finding finding, Finding place) {
        Gain own = finding.gain();
        Gain line = place.gain();
        if (own == null) {
            return finding;
        }
        long highNs = Math.max(own.highNs(), line == null ? place.costNs() : line.highNs());
        if (ledger.share(highNs - own.lowNs()) > Gains.WIDEST) {
            return finding.withGain(
                    null,
                    Units.interval(Units.duration(own.lowNs()), Units.duration(highNs))
                            + ", uncertain: it is not known whether the line's other work would also be saved");
        }
        List<String> assumptions = new ArrayList<>(own.assumptions());
        if (highNs > own.highNs()) {
            assumptions.add("at most: all that the line does is saved with it");
        }
        return finding.withGain(new Gain(own.lowNs(), highNs, assumptions), finding.noGainBecause());
    }

    /** Takes findings about classes that mostly lie at a place into that place's finding. */
    private Verdict.Found attach(PlaceFound at) {
        Finding own = at.verdict().finding();
        Finding place = withLoads(own, at.place());
        boolean loads = !place.equals(own);
        List<RuleInfo> parts = verdicts.keySet().stream()
                .filter(info -> lies(info, at.place()).isPresent())
                .sorted(Order.<RuleInfo>comparingLong(this::costNs).reversed())
                .toList();
        for (RuleInfo part : parts) {
            if (verdicts.get(part) instanceof Verdict.Found found) {
                boolean better = !loads
                        && CostlyPlaceRule.made(at.place()).isEmpty()
                        && CostlyPlaceRule.remedy(at.place()).isEmpty()
                        && !isGarbageOf(at.place(), found.finding())
                        && found.finding().causes().contains(at.place().largest());
                place = place.with(found.finding(), better);
                verdicts.put(part, toldAt(at.place()));
            }
        }
        return at.verdict().with(withWaits(place, at.place()));
    }

    /** Takes findings about waits for others into that of the line that has nearly all of them, or starts the others. */
    private Finding withWaits(Finding place, Place at) {
        return take(WaitingForWorkerRule.ID, at, waits -> at.followed() && isNearly(at.ns(), waits.costNs()))
                .or(() -> take(InputBoundRule.ID, at, input -> isPartOf(at, input)))
                .map(waits -> place.with(waits, true))
                .orElse(place);
    }

    private static boolean isNearly(long ns, long otherNs) {
        return Math.min(ns, otherNs) >= NEARLY_ALL * Math.max(ns, otherNs);
    }

    /** Says in a place's finding that the line loads the same thing again and again, if that is most of its cost. */
    private Finding withLoads(Finding place, Place at) {
        return take(
                        RepeatedLoadsRule.ID,
                        at,
                        loads -> 2 * loads.costNs() >= at.ns() && loads.places().indexOf(at.line()) == 0)
                .map(loads -> {
                    boolean made = CostlyPlaceRule.made(at).isPresent();
                    boolean all = loads.costNs() >= NEARLY_ALL * at.ns();
                    Finding claims = made ? place : all ? orWholeLine(loads, place) : loads;
                    return place.with(loads, true)
                            .withClaim(place.claim() + ' ' + loads.claim())
                            .withGain(claims.gain(), claims.noGainBecause())
                            .withSeverity(Collections.min(List.of(loads.severity(), place.severity())));
                })
                .orElse(place);
    }

    /** Returns a rule's finding that fits, which a place's finding tells from now on. */
    private Optional<Finding> take(String rule, Place at, Predicate<Finding> fits) {
        Optional<RuleInfo> of = verdicts.keySet().stream()
                .filter(info -> info.id().equals(rule)
                        && !settings.severities().containsKey(rule)
                        && verdicts.get(info) instanceof Verdict.Found found
                        && found.finding().of().equals(ledger.what())
                        && fits.test(found.finding()))
                .findFirst();
        return of.map(info -> ((Verdict.Found) Objects.requireNonNull(verdicts.put(info, toldAt(at)))).finding());
    }

    private static Verdict toldAt(Place at) {
        return new Verdict.ToldElsewhere(
                "most of this time is at " + at.line() + ", which " + CostlyPlaceRule.ID + " reports");
    }
}
