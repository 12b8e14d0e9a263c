package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reports functions that torch.compile compiled several times. Basis and threshold: docs/rules/recompilation.md. */
final class RecompilationRule implements Rule {
    static final Threshold VERSIONS = new Threshold("recompilation.versions", 2.0, "recompilations of one function");
    private static final Threshold LIMIT =
            new Threshold("recompilation.limit", 8.0, "versions of one function at which the compiler gives up");

    /** PyTorch names compiled code {@code Torch-Compiled Region: FRAME/RECOMPILATION}, both counted from 0. */
    private static final Pattern REGION = Pattern.compile("Torch-Compiled Region: (\\d{1,6})/(\\d{1,6})(?:_\\d+)?");

    private static final List<RowKind> KINDS = List.of(RowKind.ANNOTATION, RowKind.OPERATOR);

    @Override
    public RuleInfo info() {
        return new RuleInfo(
                        "recompilation", "torch.compile compiles functions over and over", Set.of(Needs.HOST_ACTIVITY))
                .limits(VERSIONS, LIMIT);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Map<Integer, Integer> recompilations = recompilations(analysis);
        if (recompilations.isEmpty()) {
            return new Verdict.NotApplicable("no compiled region of PyTorch is named in the recording");
        }
        Map.Entry<Integer, Integer> worst = Collections.max(
                recompilations.entrySet(),
                Map.Entry.<Integer, Integer>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())));
        if (worst.getValue() < analysis.threshold(VERSIONS)) {
            return Verdict.clean("no function of " + recompilations.size() + " was compiled more than "
                    + (worst.getValue() + 1) + " times");
        }
        long often = recompilations.values().stream()
                .filter(times -> times >= analysis.threshold(VERSIONS))
                .count();
        boolean limit = worst.getValue() + 1 >= analysis.threshold(LIMIT);
        return Verdict.found(FindingBuilder.of("recompilation", HostShare.window(analysis), 0)
                .severity(limit ? Severity.WARNING : Severity.INFO)
                .measure("often", Units.count(often))
                .measure("all", Units.count(recompilations.size()))
                .measure("frame", worst.getKey().toString())
                .measure("versions", Units.count(worst.getValue() + 1L))
                .measure("limit", limit ? " That is PyTorch's limit: from then on it runs uncompiled." : "")
                .claim(
                        "torch.compile compiled {often} of {all} functions several times; function {frame} was compiled {versions} times.{limit}")
                .evidence(new Evidence.Quantity(
                        "versions of function " + worst.getKey(), worst.getValue() + 1.0, "count"))
                .advice(
                        "`TORCH_LOGS=recompiles` says which guard failed. Shapes that vary: `torch._dynamo.mark_dynamic(tensor, dim)` or `torch.compile(dynamic=True)`; "
                                + "integers and flags that vary: pass them as tensors, or pad to a few values.")
                .noGain("how long the compilations took is in compile-load, as far as it was recorded"));
    }

    /** Returns by function how often it was compiled again, as far as the recording saw it run. */
    private static Map<Integer, Integer> recompilations(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<Integer, Integer> most = new TreeMap<>();
        boolean[] seen = new boolean[timeline.nameCount()];
        for (RowKind kind : KINDS) {
            for (int row : analysis.rows(kind)) {
                if (!seen[timeline.nameId(row)]) {
                    seen[timeline.nameId(row)] = true;
                    Matcher region = REGION.matcher(timeline.name(row));
                    if (region.matches()) {
                        most.merge(Integer.valueOf(region.group(1)), Integer.valueOf(region.group(2)), Math::max);
                    }
                }
            }
        }
        return most;
    }
}
