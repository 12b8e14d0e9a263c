package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.launch.LaunchCosts;

/** Reports kernels that start late on an idle GPU. Basis and threshold: docs/rules/launch-delay.md. */
final class LaunchDelayRule extends CallsRule {
    LaunchDelayRule() {
        super(
                info("launch-delay", "Launched kernels start late on an idle GPU")
                        .refining("launch-bound", "device-dependency", "slow-launch-calls")
                        .repeating("slow-launch-calls", "shared-device"),
                0.01,
                "kernels that start more than {limit} after their launch call begins, with nothing queued before them",
                "The GPU is idle for {cost}, {share} of its {part}, before {what} ({count}).",
                LaunchCosts.DELAY);
    }

    @Override
    HostCalls calls(Analysis analysis) {
        return LaunchCosts.of(analysis).late();
    }

    @Override
    String advice(Analysis analysis) {
        return AdviceTable.of(AdviceTable.Topic.LATE_LAUNCHES, analysis);
    }
}
