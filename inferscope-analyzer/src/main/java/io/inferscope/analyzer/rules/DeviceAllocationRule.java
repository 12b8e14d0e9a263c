package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ByName;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.LedgerClass;

/**
 * Reports memory that is allocated and freed while the GPU waits. Basis and threshold: docs/rules/device-allocation.md.
 */
final class DeviceAllocationRule extends CallsRule {
    /** A caching allocator asks the driver for one kernel in hundreds. */
    private static final Threshold PER_KERNEL = new Threshold(
            "device-allocation.per-kernel",
            0.25,
            "allocations per kernel from which on no caching allocator is at work");

    private static final long LEAST_KERNELS = 20;

    DeviceAllocationRule() {
        super(
                info("device-allocation", "Memory is allocated or freed while the GPU waits"),
                0.01,
                "calls that allocate or free memory",
                "Inside {count} {what} (`cudaMalloc`, `cudaFree` and their like) the GPU is idle for {cost}, {share} of its {part}. `cudaFree` waits for the whole device.",
                PER_KERNEL);
    }

    @Override
    HostCalls calls(Analysis analysis) {
        return apiCalls(analysis, analysis::isAllocation);
    }

    /** Returns whether the driver allocates for a good part of the kernels, and frees as much again. */
    static boolean areUncached(Analysis analysis) {
        LaunchCosts costs = LaunchCosts.of(analysis);
        long kernels = costs.kernels() + costs.replayed();
        ByName uncached = new ByName(analysis.timeline(), NameRole.UNCACHED::in);
        return kernels >= LEAST_KERNELS
                && apiCalls(analysis, uncached::testRow).count() >= 2 * analysis.threshold(PER_KERNEL) * kernels;
    }

    @Override
    String advice(Analysis analysis) {
        return Advice.against(LedgerClass.FRAMEWORK_ALLOCATION, analysis);
    }
}
