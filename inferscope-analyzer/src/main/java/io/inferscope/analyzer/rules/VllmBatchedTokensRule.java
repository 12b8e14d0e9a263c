package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.EngineSteps.Engine;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reports vLLM's steps that are limited to a small number of tokens. */
final class VllmBatchedTokensRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        List<Long> tokens = tokens(analysis);
        if (tokens.isEmpty()) {
            return notApplicable("unrecorded");
        }
        long most = Collections.max(tokens);
        long atMost = tokens.stream().filter(t -> t == most).count();
        if (most > limit(analysis, "most")) {
            return Verdict.clean("steps compute up to " + Units.count(most) + " tokens");
        }
        if (most < limit(analysis, "least") || atMost < limit(analysis, "steps")) {
            return Verdict.clean("no step is cut at a limit: the largest of " + tokens.size() + " computes "
                    + Units.count(most) + " tokens");
        }
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.INFO)
                .measure("most", Units.count(most))
                .measure("count", Units.count(atMost))
                .measure("all", Units.count(tokens.size()))
                .measure("doubled", Long.toString(Math.max(16_384, 2 * most)))
                .quantity("tokens of the largest step", most, "count")
                .quantity("steps of that size", atMost, "count")
                .advice(analysis)
                .noGain("how the GPU does with larger steps is not in the recording"));
    }

    private static List<Long> tokens(Analysis analysis) {
        List<Long> tokens = new ArrayList<>();
        EngineSteps.of(analysis, Engine.VLLM).forEach(step -> tokens.add(step.tokens()));
        Timeline timeline = analysis.timeline();
        for (int row : tokens.isEmpty() ? analysis.rows(RowKind.ANNOTATION) : new int[0]) {
            long scheduled = timeline.attribute(row, Attribute.COUNTED);
            if (scheduled >= 0 && NameRole.SCHEDULED_STEP.in(timeline.name(row))) {
                tokens.add(scheduled);
            }
        }
        return tokens;
    }
}
