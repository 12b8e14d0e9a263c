package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/** Reports pauses of the garbage collector. Basis and threshold: docs/rules/garbage-collection.md. */
final class GarbageCollectionRule extends WaitRule {
    GarbageCollectionRule() {
        super(
                info("garbage-collection", "The program waits for garbage collection"),
                "Garbage collection stops the program for {cost}, {share} of the {part}.",
                LedgerClass.WAIT_GC,
                0.05);
    }

    @Override
    void more(FindingBuilder finding, Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Steps steps = Steps.judged(analysis);
        long with = Arrays.stream(analysis.rows(RowKind.GC))
                .filter(row -> analysis.isJudged(timeline.track(row)))
                .map(row -> steps.at(timeline.startNs(row)))
                .filter(step -> step >= 0)
                .distinct()
                .count();
        if (with > 0 && with < steps.size()) {
            finding.measure("with", Units.count(with))
                    .measure("steps", Units.count(steps.size()))
                    .claim(
                            "Garbage collection stops the program for {cost}, {share} of the {part}, in {with} of {steps} steps.")
                    .quantity("steps with a collection", with, "count");
        }
    }
}
