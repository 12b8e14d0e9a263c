package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Timeline;

/** Reports modules that are loaded long after the start. Basis and threshold: docs/rules/steady-state-compiling.md. */
final class SteadyStateCompilingRule extends CallsRule {
    SteadyStateCompilingRule() {
        super(
                info("steady-state-compiling", "Kernels are loaded or compiled long after the start")
                        .refining("compile-load"),
                0.01,
                "calls that load or compile kernels in the steady state",
                "Inside {count} {what} the GPU is idle for {cost}, {share} of its {part}: some shape or operator is met for the first time.");
    }

    /** Without a steady state, the second half of the judged part is used. */
    @Override
    HostCalls calls(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        boolean steady = analysis.judgesSteadyState();
        long fromNs = steady ? part.startNs() : part.startNs() + part.durationNs() / 2;
        return apiCalls(
                analysis,
                row -> timeline.startNs(row) >= fromNs
                        && !GraphCapturesRule.isGraphCall(timeline.name(row))
                        && analysis.classify(row) == LedgerClass.FRAMEWORK_COMPILE_LOAD);
    }

    @Override
    String what(Analysis analysis) {
        return analysis.judgesSteadyState()
                ? super.what(analysis)
                : "calls that load or compile kernels in the second half";
    }

    @Override
    String advice(Analysis analysis) {
        return AdviceTable.of(AdviceTable.Topic.STEADY_LOADING, analysis);
    }
}
