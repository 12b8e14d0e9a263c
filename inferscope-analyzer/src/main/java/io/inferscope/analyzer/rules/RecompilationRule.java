package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reports functions that torch.compile, jax.jit or tf.function compiled several times. */
final class RecompilationRule extends Rule {
    static final Threshold VERSIONS = Threshold.of("recompilation.versions");

    /** Most inputs shown per function for which it was compiled. */
    private static final int MOST_INPUTS = 4;

    private static final List<RowKind> KINDS = List.of(RowKind.ANNOTATION, RowKind.OPERATOR);

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<FindingBuilder> timed = timed(analysis);
        if (timed.isPresent()) {
            return Verdict.found(timed.get());
        }
        Map<Integer, Integer> recompilations = recompilations(analysis);
        if (recompilations.isEmpty()) {
            return notApplicable("unrecorded");
        }
        Map.Entry<Integer, Integer> worst = Collections.min(recompilations.entrySet(), Order.largestFirst());
        if (worst.getValue() < analysis.threshold(VERSIONS)) {
            return Verdict.clean("no function of " + recompilations.size() + " was compiled more than "
                    + (worst.getValue() + 1) + " times");
        }
        long often = recompilations.values().stream()
                .filter(times -> times >= analysis.threshold(VERSIONS))
                .count();
        boolean limit = worst.getValue() + 1 >= limit(analysis, "limit");
        return Verdict.found(finding(HostShare.window(analysis), 0)
                .severity(limit ? Severity.WARNING : Severity.INFO)
                .measure("often", Units.count(often))
                .measure("all", Units.count(recompilations.size()))
                .measure("frame", worst.getKey().toString())
                .measure("versions", Units.count(worst.getValue() + 1L))
                .claim(info().id(), limit ? row("limit") : "")
                .quantity("versions of function " + worst.getKey(), worst.getValue() + 1.0, "count")
                .advice(analysis)
                .noGain("how long the compilations took is in compile-load, as far as it was recorded"));
    }

    /** Returns the gain that the rule claims of a ledger, given in words; empty if it claims none. */
    static Optional<Gain> claimed(Analysis analysis, String of) {
        return new RecompilationRule()
                .timed(analysis)
                .map(FindingBuilder::build)
                .filter(finding -> finding.of().equals(of))
                .map(Finding::gain);
    }

    /**
     * Returns the cost of recompilations, if a recorder saw the compilation of a function's third or a later version.
     */
    private Optional<FindingBuilder> timed(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<String, List<Integer>> compilations = new LinkedHashMap<>();
        for (int row : analysis.rows(RowKind.ANNOTATION)) {
            if (NameRole.FUNCTION_COMPILATION.in(timeline.name(row))
                    && timeline.attribute(row, Attribute.ACTIVITY) == RangeActivity.LOAD.ordinal()
                    && timeline.track(row) == analysis.subjectThread()) {
                compilations
                        .computeIfAbsent(timeline.name(row) + '\n' + analysis.where(row), name -> new ArrayList<>())
                        .add(row);
            }
        }
        HostCalls again = new HostCalls();
        List<Integer> worst = List.of();
        for (List<Integer> rows : compilations.values()) {
            if (rows.size() - 1 >= analysis.threshold(VERSIONS)) {
                rows.subList(1, rows.size()).forEach(row -> again.add(row, timeline.startNs(row), timeline.endNs(row)));
                worst = rows.size() > worst.size() ? rows : worst;
            }
        }
        if (worst.isEmpty()) {
            return Optional.empty();
        }
        Stretch judged = analysis.judged().stretch();
        long inSteadyStateNs =
                analysis.judgesSteadyState() ? again.times().totalWithinNs(judged.startNs(), judged.endNs()) : 0;
        Ledger ledger = inSteadyStateNs > 0 ? analysis.ledger() : HostShare.window(analysis);
        long costNs = inSteadyStateNs > 0 ? inSteadyStateNs : again.times().totalNs();
        int longest = again.longest();
        String[] names = timeline.name(worst.get(0)).split(" ", 2);
        boolean limited = NameRole.LIMITED_COMPILER.in(names[0]);
        String otherwise = NameRole.TRACING_COMPILER.in(names[0]) ? "traced" : "unlimited";
        boolean limit = limited && worst.size() >= limit(analysis, "limit");
        FindingBuilder finding = finding(ledger, costNs);
        inputs(analysis, worst).forEach(finding::evidence);
        return Optional.of(finding.measure("function", names[1])
                .measure("compiler", names[0])
                .measure("versions", Units.count(worst.size()))
                .claim(row(otherwise.equals("traced") ? otherwise : "again"), limit ? row("given-up") : "")
                .causes(List.of(LedgerClass.FRAMEWORK_COMPILE_LOAD))
                .quantity("compilations again", again.count(), "count")
                .longest(analysis, longest, timeline.durationNs(longest))
                .advice(limited ? info().id() : row(otherwise), analysis)
                .saves(
                        analysis,
                        again,
                        again,
                        "nothing is compiled a second time",
                        "nothing is compiled a second time"));
    }

    /** Returns the inputs for which a function was compiled, the longest compilation first. */
    private static List<Evidence> inputs(Analysis analysis, List<Integer> compilations) {
        Timeline timeline = analysis.timeline();
        Map<String, List<Integer>> rows = new TreeMap<>();
        for (int row : compilations) {
            String inputs = timeline.attributeText(row, Attribute.DETAIL);
            if (!inputs.isBlank() && !inputs.endsWith("...")) { // Those that were cut may differ in the rest.
                rows.computeIfAbsent(inputs, unseen -> new ArrayList<>()).add(row);
            }
        }
        List<Evidence.Place> places = new ArrayList<>();
        rows.forEach((inputs, same) -> places.add(new Evidence.Place(
                "compiled for " + inputs,
                analysis.where(same.get(0)),
                same.stream().mapToLong(timeline::durationNs).sum(),
                same.size())));
        places.sort(Order.comparingLong(Evidence.Place::ns).reversed());
        return List.copyOf(places.subList(0, Math.min(MOST_INPUTS, places.size())));
    }

    /** Returns the number of recompilations by function, as far as the recording shows compiled versions running. */
    private static Map<Integer, Integer> recompilations(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<Integer, Integer> most = new TreeMap<>();
        boolean[] seen = new boolean[timeline.nameCount()];
        for (RowKind kind : KINDS) {
            for (int row : analysis.rows(kind)) {
                if (!seen[timeline.nameId(row)]) {
                    seen[timeline.nameId(row)] = true;
                    String name = timeline.name(row);
                    if (NameRole.COMPILED_REGION.in(name)) {
                        String[] numbers =
                                name.substring(name.lastIndexOf(' ') + 1).split("[/_]", -1);
                        most.merge(Integer.valueOf(numbers[0]), Integer.valueOf(numbers[1]), Math::max);
                    }
                }
            }
        }
        return most;
    }
}
