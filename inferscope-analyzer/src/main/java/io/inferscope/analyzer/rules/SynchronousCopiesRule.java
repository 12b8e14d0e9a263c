package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.rules.AdviceTable.Topic;
import io.inferscope.timeline.Timeline;

/** Reports copies whose call returns only when they are done. Basis and threshold: docs/rules/synchronous-copies.md. */
final class SynchronousCopiesRule extends CallsRule {
    SynchronousCopiesRule() {
        super(
                info("synchronous-copies", "Copies by synchronous calls").refining("blocking-sync"),
                0.01,
                "synchronous copy calls",
                "Inside {count} {what} the GPU is idle for {cost}, {share} of its {part}: the host waits for each copy, and only then launches on.");
    }

    @Override
    HostCalls calls(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        return apiCalls(
                analysis,
                row -> analysis.isSynchronising(row) && timeline.name(row).contains("Memcpy"));
    }

    @Override
    String advice(Analysis analysis) {
        return Advice.of(Topic.COPY_ASYNCHRONOUSLY, analysis);
    }
}
