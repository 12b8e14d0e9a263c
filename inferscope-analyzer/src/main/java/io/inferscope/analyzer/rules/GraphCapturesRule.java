package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.timeline.Timeline;

/** Reports CUDA graphs that are made again and again. Basis and threshold: docs/rules/graph-captures.md. */
final class GraphCapturesRule extends CallsRule {
    private static final Threshold GRAPHS =
            new Threshold("graph-captures.graphs", 9.0, "graphs made in the judged part");

    GraphCapturesRule() {
        super(
                info("graph-captures", "CUDA graphs are made again and again").refining("compile-load"),
                0.01,
                "calls that make CUDA graphs of many shapes",
                "Inside {count} {what} the GPU is idle for {cost}, {share} of its {part}: every new shape is captured anew.",
                GRAPHS);
    }

    static boolean isGraphCall(String name) {
        return name.contains("GraphInstantiate") || name.contains("StreamEndCapture");
    }

    /** As long as there are few, each shape is captured once. */
    @Override
    HostCalls calls(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        HostCalls made = apiCalls(analysis, row -> timeline.name(row).contains("GraphInstantiate"));
        return made.count() < analysis.threshold(GRAPHS)
                ? new HostCalls()
                : apiCalls(analysis, row -> isGraphCall(timeline.name(row)));
    }

    @Override
    String advice(Analysis analysis) {
        return "Give the graphs fewer shapes: pad batches and lengths to a handful of sizes"
                + EngineSteps.words(analysis, " (`--cudagraph-capture-sizes`)", " (`--cuda-graph-bs`)")
                + ", capture them before the first request, "
                + "or leave what varies out of the graph (`torch._inductor.config.triton.cudagraph_skip_dynamic_graphs=True`).";
    }
}
