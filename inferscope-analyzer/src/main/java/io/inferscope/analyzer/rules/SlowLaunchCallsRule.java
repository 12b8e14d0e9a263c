package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.launch.LaunchCosts;

/** Reports launch calls that take long while the GPU is idle. Basis and threshold: docs/rules/slow-launch-calls.md. */
final class SlowLaunchCallsRule extends CallsRule {
    SlowLaunchCallsRule() {
        super(
                info("slow-launch-calls", "Launch calls take long").refining("launch-bound"),
                0.01,
                "launch calls of more than {limit}",
                "The GPU is idle for {cost}, {share} of its {part}, inside {what} ({count}).",
                LaunchCosts.SLOW_CALL,
                Advice.LOADS_CODE);
    }

    @Override
    HostCalls calls(Analysis analysis) {
        return LaunchCosts.of(analysis).slow();
    }

    @Override
    String explained(Analysis analysis) {
        return BlockingLaunchesRule.explains(analysis);
    }

    @Override
    String advice(Analysis analysis) {
        return AdviceTable.of(AdviceTable.Topic.SLOW_LAUNCHES, analysis);
    }
}
