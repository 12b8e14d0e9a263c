package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.CpuDemand;
import io.inferscope.analyzer.analysis.CpuUse;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.launch.BlockingLaunches;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Advice.Figure;
import io.inferscope.analyzer.tables.OwnPlaces;
import io.inferscope.analyzer.trust.MissingTime;
import io.inferscope.analyzer.trust.ProgramEnd;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Builds a finding. Its text is a template filled from the numbers, so text and figures cannot disagree. */
final class FindingBuilder {
    private static final Pattern NAME = Pattern.compile("\\{([a-z ]+)}");

    private static final Map<String, String> CLAIMS = new HashMap<>();

    static {
        KnowledgeTable.read(Knowledge.class, "claims.tsv", Function.identity())
                .forEach(cells -> CLAIMS.put(cells[0], cells[1]));
    }

    private final String rule;
    private final Ledger ledger;
    private final long costNs;
    private final Map<String, String> measures = new LinkedHashMap<>();
    private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    private final List<Evidence> evidence = new ArrayList<>();
    private List<LedgerClass> causes = List.of();
    private Severity severity;
    private boolean byShare = true;
    private String claim = "";
    private String advice = "";
    private @Nullable Gain gain;
    private String noGainBecause = "what a change would save has not been replayed";

    private Verdict.Unclaimed unclaimed = Verdict.Unclaimed.ITS_COST_AT_MOST;

    private FindingBuilder(String rule, Ledger ledger, long costNs) {
        this.rule = rule;
        this.ledger = ledger;
        this.costNs = costNs;
        this.severity = Severity.ofShare(ledger.share(costNs));
        measures.put("cost", Units.duration(costNs));
        measures.put("share", Units.percent(ledger.share(costNs)));
        measures.put("part", ledger.partName());
    }

    /** In claims: the judged thread. A service has several. */
    private static final String JUDGED = "The critical thread";

    private static final String SERVING = "A thread that serves requests";

    private static final String OF_A_SERVICE =
            "what a service saves is its requests' time, and how they would overlap then is not recorded";

    /** From this share of having nothing to do on, no gain is claimed. */
    private static final double MOSTLY = 0.5;

    private static final String OF_A_SERVER =
            "the program serves clients, and whether one of them waits for this thread meanwhile is not recorded";

    private static final String AT_REST =
            "the program hardly works, and whether it had more to do meanwhile is not recorded";

    /** Waits of which no record shows that somebody outside of the program ends them. */
    private static final Set<LedgerClass> OF_REST = EnumSet.of(LedgerClass.WAIT_UNKNOWN, LedgerClass.WAIT_TIMER);

    /** Starts a finding that costs {@code costNs} of a ledger. */
    static FindingBuilder of(String rule, Ledger ledger, long costNs) {
        return new FindingBuilder(rule, ledger, costNs);
    }

    FindingBuilder healthy() {
        noGainBecause = "nothing is lost here";
        return severity(Severity.HEALTHY);
    }

    /**
     * Sets the severity of a finding whose cost does not decide it: the finding is no loss by itself, or its cost is
     * not a time.
     */
    FindingBuilder severity(Severity of) {
        severity = of;
        byShare = false;
        return this;
    }

    /** The cost is idle time: where device work may be missing, states its interval, and grades its least. */
    FindingBuilder idleTime(Analysis analysis) {
        long missingNs = Math.min(costNs, MissingTime.of(analysis).judgedNs());
        if (missingNs == 0) {
            return this;
        }
        String least = Units.percent(ledger.share(costNs - missingNs));
        String most = Units.percent(ledger.share(costNs));
        return measure("cost", Units.interval(Units.duration(costNs - missingNs), Units.duration(costNs)))
                .measure("share", Units.interval(least, most))
                .severity(Severity.ofShare(ledger.share(costNs - missingNs)));
    }

    long costNs() {
        return costNs;
    }

    /** Returns the part of the recording that it is about. */
    LedgerPart part() {
        return ledger.part();
    }

    /** Returns the time of these classes in the part, in ns. */
    long ns(List<LedgerClass> classes) {
        return HostShare.ns(ledger, classes);
    }

    /** Returns whether the severity follows from the cost alone. */
    boolean isGradedByShare() {
        return byShare;
    }

    /** Sets why no gain is claimed. */
    FindingBuilder noGain(String because) {
        noGainBecause = because;
        return this;
    }

    /** Sets why no gain is claimed if removing the cause saves nothing, or only what other findings claim. */
    FindingBuilder noGainByItself(String because) {
        unclaimed = Verdict.Unclaimed.NOTHING_BY_ITSELF;
        return noGain(because);
    }

    /** Sets why no gain is claimed if what helps leaves an unknown part of the cost. */
    FindingBuilder noGainKnown(String because) {
        unclaimed = Verdict.Unclaimed.A_PART;
        return noGain(because);
    }

    Verdict.Unclaimed unclaimed() {
        return unclaimed;
    }

    /** Defines {@code {name}} of the claim and the advice. */
    FindingBuilder measure(String name, String value) {
        measures.put(name, value);
        return this;
    }

    /** Claims rows of {@code knowledge/claims.tsv}, in place of the row of the rule; empty names are left out. */
    FindingBuilder claim(String... rows) {
        return message(Arrays.stream(rows)
                .filter(row -> !row.isEmpty())
                .map(FindingBuilder::text)
                .collect(Collectors.joining(" ")));
    }

    /** Claims a text; {@code {cost}}, {@code {share}}, {@code {part}} and every measure are filled in. */
    FindingBuilder message(String template) {
        claim = template;
        return this;
    }

    /** Returns a row of {@code knowledge/claims.tsv}. */
    static String text(String topic) {
        String text = CLAIMS.get(topic);
        if (text == null) {
            throw new IllegalArgumentException("no row of claims.tsv is " + topic);
        }
        return text;
    }

    /** Sets a number of the finding that advice depends on; call before {@link #advice}. */
    FindingBuilder figure(Figure figure, double value) {
        figures.put(figure, value);
        return this;
    }

    /** Sets the rows on this rule that fit the recording and the figures so far. */
    FindingBuilder advice(Analysis analysis) {
        return advice(rule, analysis);
    }

    /** Sets the rows on a topic that fit the recording and the figures so far. */
    FindingBuilder advice(String topic, Analysis analysis) {
        return advice(Advice.of(topic, fact -> fact.holds(analysis), figures));
    }

    /** Sets the advice against a cause that fits the recording and the figures so far. */
    FindingBuilder adviceAgainst(LedgerClass cause, Analysis analysis) {
        return advice(Advice.against(cause, analysis, figures));
    }

    FindingBuilder advice(String template) {
        advice = template;
        return this;
    }

    /** Sets the classes whose time the cost is. */
    FindingBuilder causes(List<LedgerClass> classes) {
        causes = classes.stream().distinct().toList();
        return this;
    }

    FindingBuilder evidence(Evidence item) {
        evidence.add(item);
        return this;
    }

    /** Adds a place in the code; see {@link Evidence.Place}. */
    FindingBuilder place(String what, String where, long ns, long count) {
        return evidence(new Evidence.Place(what, where, ns, count));
    }

    FindingBuilder quantity(String what, long value, String unit) {
        return quantity(what, (double) value, unit);
    }

    /** Adds a number as evidence, in the unit of {@link Evidence.Quantity}. */
    FindingBuilder quantity(String what, double value, String unit) {
        return evidence(new Evidence.Quantity(what, value, unit));
    }

    /** Adds the longest row of the finding as evidence; only {@code countedNs} from its start count. */
    FindingBuilder longest(Analysis analysis, int row, long countedNs) {
        return longest(analysis, row, analysis.timeline().startNs(row), countedNs);
    }

    /** Adds the longest of some calls as evidence, with its counted interval. */
    FindingBuilder longest(Analysis analysis, HostCalls calls) {
        return longest(analysis, calls.longest(), calls.longestFromNs(), calls.longestNs());
    }

    private FindingBuilder longest(Analysis analysis, int row, long fromNs, long countedNs) {
        Timeline timeline = analysis.timeline();
        return evidence(new Evidence.Range(
                "longest: " + timeline.name(row),
                fromNs,
                fromNs + countedNs,
                Threads.label(timeline, timeline.track(row)),
                where(analysis, row)));
    }

    /** Returns the line around a row or, where no frame was recorded, the operator, else the range. */
    private static String where(Analysis analysis, int row) {
        String line = analysis.where(row);
        if (!line.isEmpty()) {
            return line;
        }
        Timeline timeline = analysis.timeline();
        int operator = timeline.enclosing(row, RowKind.OPERATOR);
        int around = operator >= 0 ? operator : timeline.enclosing(row, RowKind.ANNOTATION);
        return around < 0 ? "" : timeline.name(around);
    }

    /** Adds a kernel, with the operator that launched it. */
    FindingBuilder kernel(KernelFigures kernel) {
        String what = kernel.operator().isEmpty() ? "kernel" : "kernel of " + kernel.operator();
        return place(what, kernel.name(), kernel.totalNs(), kernel.count());
    }

    /** Adds the places with most idle time that {@code wanted} accepts. */
    FindingBuilder places(Analysis analysis, int count, Predicate<BlameFigures> wanted) {
        analysis.blameFigures().stream().filter(wanted).limit(count).forEach(b -> evidence.add(PlaceEvidence.of(b)));
        return this;
    }

    /** Adds the same for idle time of the judged part alone. */
    FindingBuilder judgedPlaces(Analysis analysis, int count, Predicate<BlameFigures> wanted) {
        analysis.judgedBlame().stream().filter(wanted).limit(count).forEach(b -> evidence.add(PlaceEvidence.of(b)));
        return this;
    }

    /** Adds the largest idle gaps of the headline device that {@code wanted} accepts. */
    FindingBuilder gaps(Analysis analysis, int count, Predicate<IdleBlame.Gap> wanted) {
        analysis.headline()
                .ifPresent(device -> analysis.blameOf(device).listedGaps().stream()
                        .filter(wanted)
                        .limit(count)
                        .forEach(g -> evidence.add(new Evidence.Range(
                                "idle gap, mostly " + g.cause().label(),
                                g.startNs(),
                                g.endNs(),
                                "device " + device.id(),
                                g.where()))));
        return this;
    }

    /**
     * Claims a saving from 0 to {@code mostNs}; 0 because other work may take the place of the cause. The interval is
     * claimed only if it is narrow enough.
     */
    FindingBuilder savesAtMost(long mostNs, String assumption) {
        if (ledger.share(mostNs) <= Gains.TOO_MUCH) {
            gain = new Gain(
                    0,
                    mostNs,
                    List.of("at least: other work takes its place on the critical path", "at most: " + assumption));
            noGainBecause = "";
        } else {
            noGainBecause = "the saving lies between nothing and " + Units.duration(mostNs)
                    + ", too wide to promise without replaying the dependencies";
        }
        return this;
    }

    /**
     * Claims the saving of a replay without the classes, in the part of the ledger.
     *
     * @param when what the gain assumes, as in "none of it is waited for"
     */
    FindingBuilder saves(Analysis analysis, List<LedgerClass> classes, String when) {
        return saves(analysis, classes, ledger.part(), when);
    }

    /** The same in another part of the window. */
    FindingBuilder saves(Analysis analysis, List<LedgerClass> classes, LedgerPart part, String when) {
        return causes(classes).replayed(analysis, gains -> gains.claim(this, classes, part, when));
    }

    /**
     * Claims the saving of replays without some calls: lower bound without {@code some}, upper bound without {@code
     * all}.
     */
    FindingBuilder saves(Analysis analysis, HostCalls some, HostCalls all, String least, String most) {
        return replayed(analysis, gains -> gains.claim(this, some, all, least, most));
    }

    /** Claims the saving of a replay in which launches within some calls are captured in graphs. */
    FindingBuilder captures(Analysis analysis, List<LedgerClass> launching, HostCalls within) {
        return new Gains(analysis, ledger).captured(causes(launching), launching, within.times());
    }

    /** Claims the saving of a replay without some calls. */
    FindingBuilder saves(Analysis analysis, HostCalls calls, String when) {
        return replayed(analysis, gains -> gains.claim(this, calls, false, when));
    }

    /** Claims the saving of a replay without some calls, and without what other threads do meanwhile. */
    FindingBuilder savesMaking(Analysis analysis, HostCalls calls, String when) {
        return replayed(analysis, gains -> gains.claim(this, calls, true, when));
    }

    /**
     * Claims the saving if a place of the judged thread takes no time: at least its time on a CPU, at most its waits for
     * a CPU, too, each with the errors of the samples and of the rest.
     */
    FindingBuilder savesPlace(Analysis analysis, OwnPlaces.Place place) {
        if (analysis.service().isPresent()) {
            return noGain(OF_A_SERVICE);
        }
        if (place.followed()) {
            return noGain("part of it is another thread's time, which may overlap then");
        }
        if (place.classes().getOrDefault(LedgerClass.FRAMEWORK_SYNC_RETURN, 0L) > place.boundNs()) {
            return noGain("in a part of it the program waits for a device, and what that did is not recorded");
        }
        boolean judged = ledger.part() == HostShare.judged(analysis).part();
        Stretch part = judged ? analysis.judgedHostStretch() : analysis.window();
        long besideNs = CpuDemand.ofBusiestNs(analysis, part, false);
        if (besideNs + place.ns() - place.boundNs() > (1 + Gains.TOO_MUCH) * ledger.durationNs()) {
            return noGain("another thread works meanwhile, for " + Units.duration(besideNs)
                    + " of this part: it would then be waited for");
        }
        String team = Gains.besideTeam(analysis, part);
        if (!team.isEmpty()) {
            return noGain(team);
        }
        boolean made = CostlyPlaceRule.made(place).isPresent();
        boolean recurs = place.count() > 1 || ledger.part() == LedgerPart.STEADY_STATE;
        boolean anew = made || (recurs && place.largest() == LedgerClass.FRAMEWORK_COMPILE_LOAD);
        GainErrors errors = (made ? GainErrors.MADE_ANEW : GainErrors.PLACE)
                .heldUp(
                        place.classes().keySet(),
                        recurs,
                        of -> of == LedgerClass.WAIT_RUN_QUEUE ? 0 : place.nsOf(List.of(of)))
                .beside(CpuUse.of(analysis));
        String others = Gains.besideOthers(analysis);
        long restNs = Math.max(0, ledger.durationNs() - place.ns());
        long belowNs = Math.round(Math.hypot((double) place.boundNs(), errors.slower() * restNs));
        long aboveNs = Math.round(Math.hypot((double) place.boundNs(), errors.fasterNs(restNs, place.ns())));
        long lowNs = Math.max(0, place.withoutStarvingNs() - belowNs);
        long highNs = Math.min(ledger.durationNs(), place.ns() + aboveNs);
        return ledger.share(highNs - lowNs) > Gains.WIDEST
                ? noGain(Units.interval(Units.duration(lowNs), Units.duration(highNs)) + ", uncertain"
                        + (anew
                                ? ": what is made there may also cost time where it is used"
                                : others.isEmpty() ? "" : ": it is not known how fast the rest runs" + others))
                : gain(new Gain(
                        lowNs,
                        highNs,
                        List.of(
                                "at least: without it, as much time is spent waiting for a CPU",
                                "at most: the line takes no time, and its absence makes the rest faster")));
    }

    /**
     * Claims the saving of a replay in which device work of a class is hidden under compute, limited to the finding's
     * part of that work.
     */
    FindingBuilder hides(Analysis analysis, LedgerClass ledgerClass) {
        new Gains(analysis, ledger).hidden(causes(List.of(ledgerClass)), ledgerClass);
        long classNs = ledger.ns(ledgerClass);
        if (gain != null && classNs > 0) {
            long mostNs = Math.min(costNs, classNs);
            double part = (double) mostNs / classNs;
            gain = new Gain(
                    Math.min(Math.round(part * gain.lowNs()), mostNs),
                    Math.min(Math.round(part * gain.highNs()), mostNs),
                    List.of(
                            gain.assumptions().get(0),
                            "at most: all of it runs under compute, which runs no faster for that"));
        }
        return this;
    }

    /** Claims the saving of a replay without loading again what was loaded. */
    FindingBuilder loadsOnce(Analysis analysis, HostCalls again) {
        return replayed(analysis, gains -> gains.loadedOnce(this, again));
    }

    /** Claims the saving of replays in which no launch waits for what it launched. */
    FindingBuilder queues(Analysis analysis, BlockingLaunches blocking) {
        return replayed(analysis, gains -> gains.queued(this, blocking))
                .gainAtMost(analysis.idle().totalNs());
    }

    /** Limits a claimed gain. */
    FindingBuilder gainAtMost(long ns) {
        if (gain != null) {
            gain = new Gain(Math.min(gain.lowNs(), ns), Math.min(gain.highNs(), ns), gain.assumptions());
        }
        return this;
    }

    /** Claims the saving of a replay in which copies use pinned memory. */
    FindingBuilder pins(Analysis analysis, PinnedCopies copies) {
        return new Gains(analysis, ledger).pinned(causes(List.of(PinnedCopies.exposed(copies.direction()))), copies);
    }

    /** Claims the saving of a replay in which launches are captured in graphs. */
    FindingBuilder captures(Analysis analysis, List<LedgerClass> launching) {
        return new Gains(analysis, ledger).captured(causes(launching), launching);
    }

    /**
     * Claims the saving of a replay in which the judged thread never waits for the products of other threads and
     * processes.
     */
    FindingBuilder workersAhead(Analysis analysis) {
        return replayed(analysis, gains -> gains.workersAhead(this));
    }

    /** Claims the saving of a replay, which says nothing of a service. */
    private FindingBuilder replayed(Analysis analysis, Function<Gains, FindingBuilder> claim) {
        if (analysis.service().isPresent()) {
            return noGain(OF_A_SERVICE);
        }
        boolean waits = causes.stream().anyMatch(cause -> cause.isWaiting() && !cause.isHostWork());
        if (waits && analysis.servesUnknownRequests()) {
            return noGain(OF_A_SERVER);
        }
        return causes.stream().anyMatch(OF_REST::contains) && ProgramEnd.mayHaveNothingToDo(analysis)
                ? noGain(AT_REST)
                : claim.apply(new Gains(analysis, ledger));
    }

    FindingBuilder gain(Gain claimed) {
        gain = claimed;
        noGainBecause = "";
        return this;
    }

    Finding build() {
        if (gain != null && ledger.share(LedgerClass.WAIT_IDLE) >= MOSTLY) {
            gain = null;
            noGainBecause = "the program mostly has nothing to do: with less work it would only have more of that";
        }
        String text = claim.isEmpty() ? text(rule) : claim;
        return new Finding(
                rule,
                severity,
                filled(ledger.part() == LedgerPart.REQUESTS ? text.replace(JUDGED, SERVING) : text),
                costNs,
                ledger.share(costNs),
                ledger.what(),
                causes,
                evidence,
                filled(advice),
                gain,
                noGainBecause);
    }

    /** Fills in every name in one pass: values are data and are not searched for names. */
    private String filled(String template) {
        return NAME.matcher(template)
                .replaceAll(name -> Matcher.quoteReplacement(measures.getOrDefault(name.group(1), name.group())));
    }
}
