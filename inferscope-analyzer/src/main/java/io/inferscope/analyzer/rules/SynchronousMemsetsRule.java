package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;

/**
 * Reports memory sets on host memory that block the calling thread. Basis and threshold:
 * docs/rules/synchronous-memsets.md.
 */
final class SynchronousMemsetsRule extends CallsRule {
    SynchronousMemsetsRule() {
        super(
                info("synchronous-memsets", "Memory sets by synchronous calls").refining("blocking-sync"),
                0.01,
                "synchronous sets of pinned or managed memory",
                "Inside the calls of {count} {what} the GPU is idle for {cost}, {share} of its {part}.");
    }

    /**
     * {@code cudaMemset} returns at once, except on pinned and managed memory (CUDA runtime API, synchronization
     * behaviour).
     */
    @Override
    HostCalls calls(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        return launches(
                analysis,
                (row, call) -> timeline.kind(row) == RowKind.MEMSET
                        && isOfHostMemory(timeline.name(row))
                        && !timeline.name(call).contains("Async"));
    }

    private static boolean isOfHostMemory(String memset) {
        return memset.contains("Pinned") || memset.contains("Managed");
    }

    @Override
    String advice(Analysis analysis) {
        return "Use `cudaMemsetAsync` on a stream, or set host memory on the host.";
    }
}
