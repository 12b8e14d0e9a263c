package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.LedgerClass;

/**
 * Reports memory that is allocated and freed while the GPU waits. Basis and threshold: docs/rules/device-allocation.md.
 */
final class DeviceAllocationRule extends CallsRule {
    DeviceAllocationRule() {
        super(
                info("device-allocation", "Memory is allocated or freed while the GPU waits"),
                0.01,
                "calls that allocate or free memory",
                "Inside {count} {what} (`cudaMalloc`, `cudaFree` and their like) the GPU is idle for {cost}, {share} of its {part}. `cudaFree` waits for the whole device.");
    }

    @Override
    HostCalls calls(Analysis analysis) {
        return apiCalls(analysis, analysis::isAllocation);
    }

    @Override
    String advice(Analysis analysis) {
        return Advice.against(LedgerClass.FRAMEWORK_ALLOCATION, analysis);
    }
}
