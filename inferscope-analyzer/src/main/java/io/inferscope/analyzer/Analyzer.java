package io.inferscope.analyzer;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.metrics.AnalysisFacts;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Failure;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.rules.RuleInfo;
import io.inferscope.analyzer.rules.RuleSettings;
import io.inferscope.analyzer.rules.Rules;
import io.inferscope.analyzer.rules.Verdict;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.trust.TrustGate;
import io.inferscope.timeline.Garbage;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.merge.TimelineMerge;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Turns a timeline into a report: analyses, trust gate, rules, verdict. The same timeline gives the same report. */
public final class Analyzer {
    private final RuleSettings settings;

    /** Makes an analyzer with the user's limits and rules. */
    public Analyzer(RuleSettings settings) {
        this.settings = settings;
    }

    /** Makes an analyzer with the built-in limits and rules. */
    public Analyzer() {
        this(RuleSettings.DEFAULT);
    }

    /** Returns this analyzer for recordings whose devices are of a model, unless they name it themselves. */
    public Analyzer ofGpu(String model) {
        return new Analyzer(settings.ofGpu(model));
    }

    /**
     * Explains a timeline.
     *
     * @param title what to call it: a file or program name without folders
     */
    public Report analyze(Timeline timeline, String title) {
        return report(analysis(timeline), title);
    }

    /** Explains a timeline and returns the analysis with the report. */
    public AnalyzedReport explain(Timeline timeline, String title) {
        Analysis analysis = analysis(timeline);
        return new AnalyzedReport(analysis, report(analysis, title));
    }

    /**
     * Explains a timeline for the console alone: the tables that it does not show are not computed, and empty in the
     * report.
     *
     * @param title as above
     */
    public AnalyzedReport conclude(Timeline timeline, String title) {
        Analysis analysis = analysis(timeline);
        return new AnalyzedReport(analysis, report(analysis, title, new ReportParts(false)));
    }

    public Analysis analysis(Timeline timeline) {
        return Analysis.of(timeline, settings.thresholds());
    }

    /**
     * Makes the report of an analysis.
     *
     * @param title what to call it: a file or program name without folders
     */
    public Report report(Analysis analysis, String title) {
        return report(analysis, title, new ReportParts(true));
    }

    private Report report(Analysis analysis, String title, ReportParts attempts) {
        Garbage.collectDuringAnalysis();
        Timeline timeline = analysis.timeline();
        List<TrustCheck> trust = TrustGate.check(analysis);
        BoundVerdict verdict = attempts.at("verdict", Judge.failed(), () -> Judge.judge(analysis, trust));
        Map<RuleInfo, Verdict> verdicts = Rules.evaluate(new AnalysisFacts(analysis, verdict, trust), settings);
        List<Finding> findings = FindingOrder.sorted(verdicts, analysis.ledger(), analysis.judgesSteadyState());
        verdicts.forEach((info, answer) -> {
            if (answer instanceof Verdict.Failed failed) {
                attempts.failed(new Failure("rule " + info.id(), failed.problem()));
            }
        });
        List<String> diagnosis =
                attempts.list("diagnosis", () -> Summary.diagnosis(analysis, verdict, isRefused(trust)));
        List<String> suggestions = attempts.list(
                "suggestions",
                () -> Summary.suggestions(withSavings(Summary.aboutJudged(findings, analysis), verdicts), verdict));
        if (Boolean.getBoolean(Contradictions.CHECK)) {
            new Contradictions(
                            verdict,
                            diagnosis,
                            suggestions,
                            analysis.ledgers(),
                            findings,
                            timeline.properties().getOrDefault("run.command", ""))
                    .found()
                    .forEach(found -> attempts.failed(new Failure("consistency", found)));
        }
        return new Report(
                title,
                timeline.originUnixNs(),
                analysis.window(),
                timeline.number(TimelineInfo.PART_OF_NS, analysis.window().durationNs()),
                analysis.judged(),
                verdict,
                analysis.ledgers(),
                analysis.ledger(LedgerPart.WINDOW).orElse(analysis.ledger()).rollup(),
                diagnosis,
                suggestions,
                attempts.tables(Tables.of(analysis), !isRefused(trust)),
                findings,
                outcomes(verdicts),
                trust,
                TimelineMerge.sources(timeline),
                timeline.info().coverage(),
                timeline.info().overheads(),
                timeline.importStats(),
                attempts.list("notes", () -> Summary.notes(analysis)),
                attempts.failures());
    }

    /** Whether a check failed that withholds the verdict. Missing work is missing in the dependency graph, too. */
    private static boolean isRefused(List<TrustCheck> trust) {
        return trust.stream().anyMatch(check -> !check.passed() && check.withholds());
    }

    /** Returns the findings without notes whose advice saves nothing by itself; all where nothing else is found. */
    private static List<Finding> withSavings(List<Finding> findings, Map<RuleInfo, Verdict> verdicts) {
        Set<String> idle = verdicts.values().stream()
                .filter(verdict -> verdict instanceof Verdict.Found found
                        && found.finding().severity() == Severity.INFO
                        && found.savedOfCost() == 0)
                .map(verdict -> ((Verdict.Found) verdict).finding().rule())
                .collect(Collectors.toSet());
        List<Finding> saving =
                findings.stream().filter(one -> !idle.contains(one.rule())).toList();
        return saving.isEmpty() ? findings : saving;
    }

    private static List<RuleOutcome> outcomes(Map<RuleInfo, Verdict> verdicts) {
        List<RuleOutcome> outcomes = new ArrayList<>();
        verdicts.forEach((info, verdict) -> outcomes.add(outcome(info, verdict)));
        return outcomes;
    }

    private static RuleOutcome outcome(RuleInfo info, Verdict verdict) {
        if (verdict instanceof Verdict.Clean clean) {
            return new RuleOutcome(info.id(), info.title(), RuleOutcome.Outcome.CLEAN, clean.because());
        }
        if (verdict instanceof Verdict.ToldElsewhere told) {
            return new RuleOutcome(info.id(), info.title(), RuleOutcome.Outcome.TOLD_ELSEWHERE, told.because());
        }
        if (verdict instanceof Verdict.Failed failed) {
            return new RuleOutcome(info.id(), info.title(), RuleOutcome.Outcome.FAILED, failed.problem());
        }
        if (verdict instanceof Verdict.NotApplicable notApplicable) {
            return new RuleOutcome(
                    info.id(), info.title(), RuleOutcome.Outcome.NOT_APPLICABLE, notApplicable.because());
        }
        return new RuleOutcome(info.id(), info.title(), RuleOutcome.Outcome.FOUND, "");
    }
}
