package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.steps.Phases;
import io.inferscope.analyzer.tables.OwnPlaces;
import io.inferscope.analyzer.tables.OwnPlaces.Place;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.RowKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports the lines of the program's own code that cost most with all that they call, one finding for each place: in the
 * judged part, and in the parts before and after it. Definitions and thresholds: docs/rules/costly-place.md.
 */
final class CostlyPlaceRule extends Rule {
    static final String ID = Finding.PLACE;

    private static final List<Knowledge.Meaning<String>> REMEDIES = Knowledge.rows("remedies.tsv").stream()
            .map(row -> new Knowledge.Meaning<>(row.means(), row.pattern()))
            .toList();

    private static final int MOST_PLACES = 3;
    private static final int MOST_CLASSES = 3;
    private static final int MOST_LINES = 4;
    private static final double WORTH_NAMING = 0.005;

    /** Imports with this share of the judged part make shares of a short run say little about a longer one. */
    private static final double LONG_IMPORTS = 0.10;

    /** A place, its subject in a sentence, and its finding. */
    record PlaceFound(Place place, String subject, Verdict.Found verdict) {}

    @Override
    public Verdict evaluate(Analysis analysis) {
        if (!analysis.devices().isEmpty()) {
            return new Verdict.NotApplicable("the findings about idle time name what a device waits for");
        }
        List<Verdict.Found> found = new ArrayList<>();
        judged(analysis).forEach(one -> found.add(one.verdict));
        found.addAll(otherParts(analysis));
        return found.isEmpty() ? Verdict.clean(most(analysis)) : Verdict.Found.of(found);
    }

    private static String most(Analysis analysis) {
        return OwnPlaces.judged(analysis).places().stream()
                .findFirst()
                .map(place -> "the costliest line, " + place.line() + ", takes "
                        + HostShare.judged(analysis).shareOfPart(place.ns()))
                .orElse("no time lies at a line of the program's own code");
    }

    /** Returns the places of the judged part that cost enough, the costliest first. */
    List<PlaceFound> judged(Analysis analysis) {
        Ledger ledger = HostShare.judged(analysis);
        OwnPlaces.Judged judged = OwnPlaces.judged(analysis);
        Part part = new Part(ledger, analysis.judgedHostStretch(), ledger.durationNs() - judged.importsNs(), "");
        return places(analysis, judged.places(), part);
    }

    /**
     * A part whose places are told.
     *
     * @param ledger the ledger by which costs are measured
     * @param stretch when it was
     * @param wholeNs the time by which costs are graded: without imports, which a program that runs longer has once
     * @param when where it lies beside the judged part, in words; empty if it is that part
     */
    private record Part(Ledger ledger, Stretch stretch, long wholeNs, String when) {
        double share(long ns) {
            return (double) ns / Math.max(1, wholeNs);
        }

        /** Returns a place's share of the time in which the thread had a CPU, or did not want one. */
        double shareOfServed(Place place) {
            long servedNs = wholeNs - ledger.ns(LedgerClass.WAIT_RUN_QUEUE);
            return (double) place.withoutStarvingNs() / Math.max(1, servedNs);
        }

        /** Returns the smaller of both shares, sampling error deducted. */
        double least(Place place) {
            double sure = (double) place.leastNs() / Math.max(1, place.ns());
            return sure * Math.min(share(place.ns()), shareOfServed(place));
        }

        /** Returns the share without imports in words, if these take long. */
        String withoutImports(long ns) {
            return wholeNs > (1 - LONG_IMPORTS) * ledger.durationNs()
                    ? ""
                    : " (" + Units.percent(share(ns)) + " without imports)";
        }
    }

    private List<Verdict.Found> otherParts(Analysis analysis) {
        List<Verdict.Found> found = new ArrayList<>();
        Optional<Stretch> steady = analysis.phases().steadyState();
        if (steady.isEmpty() || !analysis.judgesSteadyState()) {
            return found;
        }
        Ledger window = HostShare.window(analysis);
        for (Phases.Phase phase : analysis.phases().phases()) {
            Stretch part = phase.stretch();
            boolean judged = part.equals(steady.get());
            if (!judged && window.share(part.durationNs()) >= limit(analysis, "part-share")) {
                boolean before = part.endNs() <= steady.get().startNs();
                boolean loading = phase.kind() == PhaseKind.LOAD || phase.kind() == PhaseKind.BEFORE;
                String when = before ? ", before the steady state" : ", after the steady state";
                Part beside = new Part(window, part, window.durationNs(), when);
                places(analysis, OwnPlaces.within(analysis, part, loading), beside)
                        .forEach(one -> found.add(one.verdict));
            }
        }
        return found;
    }

    private List<PlaceFound> places(Analysis analysis, List<Place> places, Part part) {
        return places.stream()
                .filter(place -> part.share(place.leastNs()) >= leastShare(analysis))
                .filter(place -> part.shareOfServed(place) >= leastShare(analysis))
                .limit(MOST_PLACES)
                .map(place -> new PlaceFound(
                        place,
                        shortName(place.line())
                                + calls(place).replaceFirst(",$", "")
                                + often(analysis, place, part.stretch),
                        found(analysis, place, part)))
                .toList();
    }

    private Verdict.Found found(Analysis analysis, Place place, Part part) {
        Ledger ledger = part.ledger;
        double least = part.least(place);
        FindingBuilder finding = finding(ledger, place.ns())
                .severity(
                        least >= limit(analysis, "critical-share")
                                ? Severity.CRITICAL
                                : least >= limit(analysis, "warning-share") ? Severity.WARNING : Severity.INFO)
                .measure("place", shortName(place.line()))
                .measure("callee", calls(place))
                .measure("often", often(analysis, place, part.stretch))
                .measure("classes", classes(place, ledger))
                .measure("rest", part.withoutImports(place.ns()))
                .measure("when", part.when);
        String calls =
                place.calls().isEmpty() ? "" : place.calls().get(place.calls().size() - 1);
        finding.place(
                "with all that it calls" + (place.boundNs() == 0 ? "" : ", ± " + Units.duration(place.boundNs())),
                PlaceEvidence.place(place.line(), calls),
                place.ns(),
                Math.max(1, place.count()));
        if (place.lines().size() > 1) {
            place.lines().entrySet().stream()
                    .filter(line -> line.getValue() < place.ns())
                    .limit(MOST_LINES)
                    .forEach(line -> finding.place("of it", line.getKey(), line.getValue(), 1));
        }
        if (!place.path().isEmpty()
                && !place.path().get(place.path().size() - 1).equals(place.line())) {
            String how = place.awaited() ? "waited for at" : "called at";
            finding.place(how, place.path().get(place.path().size() - 1), place.ns(), 1);
        }
        finding.causes(List.copyOf(place.classes().keySet())).advice(advice(analysis, place, part.when.isEmpty()));
        return (Verdict.Found) Verdict.found(finding.savesPlace(analysis, place));
    }

    /** Returns a place without the folders of its file. */
    static String shortName(String line) {
        int colon = line.indexOf(':');
        return line.substring(line.lastIndexOf('/', colon < 0 ? line.length() : colon) + 1);
    }

    /** Returns the function or the own line that has at least half of the cost, in words. */
    private static String calls(Place place) {
        return !place.calls().isEmpty()
                ? ", calling `" + function(place.calls().get(0)) + "`,"
                : place.callee().isEmpty() ? "" : ", mostly in " + shortName(place.callee()) + ",";
    }

    /** Returns the function of {@code file.py: Class.function}, or a native one without its library. */
    private static String function(String frame) {
        int colon = frame.indexOf(": ");
        int library = frame.lastIndexOf(" [");
        return colon >= 0 ? frame.substring(colon + 2) : library > 0 ? frame.substring(0, library) : frame;
    }

    /** Returns the package of {@code package/file.py: Class.function}, or the module. */
    private static String inPackage(String frame) {
        int end = frame.indexOf('/');
        return frame.substring(0, end >= 0 ? end : Math.max(0, frame.indexOf(':')));
    }

    private static String classes(Place place, Ledger ledger) {
        long starvedNs = place.ns() - place.withoutStarvingNs();
        String work = place.classes().entrySet().stream()
                .filter(entry -> entry.getKey() != LedgerClass.WAIT_RUN_QUEUE)
                .filter(entry -> entry.getKey() == place.largest() || ledger.share(entry.getValue()) >= WORTH_NAMING)
                .limit(MOST_CLASSES)
                .map(entry -> label(entry.getKey()) + " " + Units.percent(ledger.share(entry.getValue())))
                .collect(Collectors.joining(", "));
        return ledger.share(starvedNs) < WORTH_NAMING
                ? work
                : work + (work.isEmpty() ? "" : "; ") + LedgerClass.WAIT_RUN_QUEUE.label() + " "
                        + Units.percent(ledger.share(starvedNs));
    }

    /** Returns a class in words; operators at a place are none of the model's. */
    private static String label(LedgerClass of) {
        return of == LedgerClass.CPU_MODEL_COMPUTE ? "operators" : of.label();
    }

    /** Returns how often the line was entered, per step or request where that is known. */
    private static String often(Analysis analysis, Place place, Stretch part) {
        if (place.count() == 0) {
            return "";
        }
        boolean served = analysis.service().isPresent();
        long rounds = served
                ? analysis.rows(RowKind.REQUEST).length
                : analysis.steps().stream()
                        .filter(step -> step.startNs() >= part.startNs() && step.endNs() <= part.endNs())
                        .count();
        if (rounds > 1 && Math.abs(place.count() - rounds) <= 1) {
            return served ? ", once per request" : ", once per step";
        }
        return ", " + Units.count(place.count()) + (place.count() == 1 ? " time" : " times");
    }

    /** Returns the remedy of the called function, or of the class with most of the cost; an object made again and again is better kept. */
    private static String advice(Analysis analysis, Place place, boolean recurs) {
        Optional<String> remedy = remedy(place);
        if (remedy.isPresent()) {
            return remedy.get();
        }
        Optional<String> made = recurs ? made(place) : Optional.empty();
        String line = shortName(place.line());
        if (made.isPresent()) {
            return "Make `" + made.get() + "` once, before the loop, and use it again: " + line
                    + " makes it anew each time.";
        }
        Frame frame = Frame.of(place.line());
        if (FrameRole.NAMELESS.of(frame) && frame.library().equals(Frame.GENERATED)) {
            return Advice.of("code-dominates.jit", analysis);
        }
        LedgerClass largest = place.largest();
        if (recurs && largest == LedgerClass.FRAMEWORK_COMPILE_LOAD && analysis.judgesSteadyState()) {
            return "Load or compile once, before the loop, and keep the result: " + line + " does it again and again.";
        }
        boolean most = 2 * place.classes().getOrDefault(largest, 0L) >= place.withoutStarvingNs();
        boolean told = largest.isLaunching()
                || largest == LedgerClass.CPU_MODEL_COMPUTE
                || ((largest == LedgerClass.WAIT_GC || largest == LedgerClass.WAIT_UNKNOWN)
                        && !place.calls().isEmpty());
        if ((!most || told) && place.around() && !place.calls().isEmpty()) {
            String within = place.calls().size() == 1
                    ? ""
                    : ", above all `" + function(place.calls().get(place.calls().size() - 1)) + '`';
            return '`' + function(place.calls().get(0))
                    + "` is called once, and runs all the time: look at what it does" + within + '.';
        }
        return most && !told
                ? Advice.against(largest, analysis, Map.of())
                : "Look at "
                        + (place.calls().isEmpty() && !place.callee().isEmpty() ? shortName(place.callee()) : line)
                        + ": "
                        + (place.calls().isEmpty()
                                ? "do it"
                                : "call `" + function(place.calls().get(0)) + "`")
                        + " less often or for more at once, keep what it returns, or do it while the model computes.";
    }

    /** Returns the advice on what the called function does, by the first row of the table that one of the calls has. */
    static Optional<String> remedy(Place place) {
        return REMEDIES.stream()
                .flatMap(row -> called(place).flatMap(call -> Stream.ofNullable(Knowledge.found(List.of(row), call))))
                .findFirst();
    }

    /** Returns the called functions with most of the cost, of the outermost one's package. */
    private static Stream<String> called(Place place) {
        return place.calls().stream()
                .takeWhile(
                        frame -> inPackage(frame).equals(inPackage(place.calls().get(0))));
    }

    /**
     * Returns the class whose constructor has nearly all of the cost. What another package than the called one makes is
     * out of the line's hands.
     */
    static Optional<String> made(Place place) {
        return called(place)
                .map(CostlyPlaceRule::function)
                .filter(name -> name.endsWith(".__init__") || name.endsWith(".<init>"))
                .map(name -> name.substring(0, name.lastIndexOf('.')))
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .findFirst();
    }
}
