package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.launch.LaunchCosts;

/** Reports kernels that take less time than their launch call. Basis and threshold: docs/rules/short-kernels.md. */
final class ShortKernelsRule extends CallsRule {
    ShortKernelsRule() {
        super(
                info("short-kernels", "Kernels are shorter than their own launch calls")
                        .refining("launch-bound"),
                0.02,
                "kernels shorter than their launch call",
                "{count} kernels that are launched one by one are shorter than the call that launches them;"
                        + " inside these calls the GPU is idle for {cost}, {share} of its {part}.",
                LaunchCosts.SHORT_CALL);
    }

    @Override
    HostCalls calls(Analysis analysis) {
        return LaunchCosts.of(analysis).shorterThanCall();
    }

    @Override
    String explained(Analysis analysis) {
        return BlockingLaunchesRule.explains(analysis);
    }

    @Override
    String advice(Analysis analysis) {
        return AdviceTable.of(AdviceTable.Topic.SHORT_KERNELS, analysis);
    }
}
