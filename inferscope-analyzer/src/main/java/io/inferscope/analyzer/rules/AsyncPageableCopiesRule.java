package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.rules.AdviceTable.Topic;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.Locale;

/**
 * Reports asynchronous copies that block, because they use pageable memory. Basis and threshold:
 * docs/rules/async-pageable-copies.md.
 */
final class AsyncPageableCopiesRule extends CallsRule {
    AsyncPageableCopiesRule() {
        super(
                info("async-pageable-copies", "Asynchronous copies that block, because their memory is pageable")
                        .refining("pageable-copies", "blocking-sync"),
                0.01,
                "asynchronous copies with pageable memory",
                "Inside the calls of {count} {what} the GPU is idle for {cost}, {share} of its {part}: such a call stages the data and returns late.");
    }

    @Override
    HostCalls calls(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        return launches(
                analysis,
                (row, call) -> timeline.kind(row).isMemcpy()
                        && timeline.name(call).contains("Async")
                        && timeline.attributeText(row, Attribute.MEMORY_KINDS)
                                .toLowerCase(Locale.ROOT)
                                .contains("pageable"));
    }

    @Override
    String advice(Analysis analysis) {
        return Advice.of(Topic.PIN_INPUT, analysis);
    }
}
