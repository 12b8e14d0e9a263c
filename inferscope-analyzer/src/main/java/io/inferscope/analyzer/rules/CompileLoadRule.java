package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.OwnPlaces;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reports loading and compiling that delay the program. */
final class CompileLoadRule extends WaitRule {
    private static final Threshold SHARE = Threshold.of("compile-load.share");
    private static final int MOST_PARTS = 3;

    CompileLoadRule() {
        super("compile-load", LedgerClass.FRAMEWORK_COMPILE_LOAD);
    }

    /** Loading belongs to start-up: the whole window counts, unless a steady state loads again and again. */
    @Override
    Ledger ledger(Analysis analysis) {
        return isOneOff(analysis) ? HostShare.window(analysis) : HostShare.judged(analysis);
    }

    /** Imports, and loading and compiling before the steady state, are only a note. */
    @Override
    public Verdict evaluate(Analysis analysis) {
        Verdict verdict = super.evaluate(analysis);
        if (!(verdict instanceof Verdict.Found found)) {
            return verdict;
        }
        if (!analysis.judgesSteadyState()
                && 2 * OwnPlaces.judged(analysis).importsNs() >= found.finding().costNs()) {
            return found.with(found.finding()
                    .atMostInfo()
                    .withGain(null, "mostly imports, which a program has once however long it runs"));
        }
        if (!isOneOff(analysis)) {
            return RecompilationRule.claimed(analysis, found.finding().of())
                    .<Verdict>map(again ->
                            new Verdict.Found(beyond(found.finding(), again), found.byShare(), found.unclaimed()))
                    .orElse(found);
        }
        Finding finding = found.finding().atMostInfo();
        String startUp = startUp(analysis);
        return found.with(startUp.isEmpty() ? finding : finding.withClaim(startUp + ' ' + finding.claim()));
    }

    /** Returns the finding with the gain that is left beside what {@link RecompilationRule} claims of the same time. */
    private static Finding beyond(Finding finding, Gain again) {
        Gain all = finding.gain();
        if (all == null) {
            return finding;
        }
        long lowNs = Math.max(0, all.lowNs() - again.highNs());
        long highNs = Math.max(0, all.highNs() - again.lowNs());
        List<String> assumptions = new ArrayList<>(all.assumptions());
        assumptions.add("beside what `recompilation` claims");
        return highNs == 0
                ? finding.withGain(null, "recompilation claims all that replays save")
                : finding.withGain(new Gain(lowNs, highNs, assumptions), finding.noGainBecause());
    }

    /** Returns whether a steady state is judged that loads and compiles nearly nothing. */
    static boolean isOneOff(Analysis analysis) {
        return analysis.judgesSteadyState()
                && analysis.ledger().share(analysis.ledger().ns(LedgerClass.FRAMEWORK_COMPILE_LOAD)) < SHARE.value();
    }

    /** Returns one sentence on the start-up, with its outermost ranges that load or compile. */
    private static String startUp(Analysis analysis) {
        Optional<Ledger> startUp = analysis.ledger(LedgerPart.START_UP);
        if (startUp.isEmpty()) {
            return "";
        }
        Timeline timeline = analysis.timeline();
        Map<String, Long> parts = new LinkedHashMap<>();
        long endNs = Long.MIN_VALUE;
        for (int row : analysis.rows(RowKind.ANNOTATION)) {
            boolean loads = timeline.track(row) == analysis.subjectThread()
                    && timeline.startNs(row) >= endNs
                    && timeline.startNs(row) < analysis.judged().stretch().startNs()
                    && analysis.classify(row) == LedgerClass.FRAMEWORK_COMPILE_LOAD;
            if (loads) {
                endNs = timeline.endNs(row);
                parts.merge(timeline.name(row), timeline.durationNs(row), Long::sum);
            }
        }
        String words = parts.entrySet().stream()
                .sorted(Order.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(MOST_PARTS)
                .map(part -> part.getKey() + ' ' + Units.duration(part.getValue()))
                .collect(Collectors.joining(", "));
        return "Start-up takes " + Units.duration(startUp.get().durationNs()) + (words.isEmpty() ? "" : ": " + words)
                + '.';
    }
}
