package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.HostCalls;
import io.inferscope.analyzer.model.Units;

/** Reports launch calls that take long while the GPU is idle. Basis and threshold: docs/rules/slow-launch-calls.md. */
final class SlowLaunchCallsRule extends CallsRule {
    SlowLaunchCallsRule() {
        super("slow-launch-calls", "Launch calls take long", "launch-bound");
    }

    @Override
    HostCalls calls(Analysis analysis) {
        return analysis.launchCosts().slow();
    }

    @Override
    String what(Analysis analysis) {
        return "launch calls of more than " + Units.duration((long) analysis.threshold("slow-launch-calls.call-ns"));
    }

    @Override
    String claim() {
        return "{count} {what} keep the GPU idle for {cost}, {share} of its {part}.";
    }

    @Override
    String advice(Analysis analysis) {
        return "A launch takes 2 to 10 us. One that takes longer loads a module (`CUDA_MODULE_LOADING=EAGER`, warm up every shape), waits for a lock of the "
                + "driver that another thread or process holds (launch from one thread), or was descheduled (give the thread a CPU of its own).";
    }
}
