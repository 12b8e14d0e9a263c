package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import java.util.Optional;

/** Reports that SGLang's clients send too few requests. Basis and threshold: docs/rules/sglang-empty-queue.md. */
final class SglangEmptyQueueRule extends Rule {
    private static final Threshold SHARE =
            new Threshold("sglang-empty-queue.share", 0.90, "readings with an empty queue");

    SglangEmptyQueueRule() {
        super("sglang-empty-queue", SHARE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<SglangTokenUsageRule.Load> load = SglangTokenUsageRule.Load.of(analysis);
        if (load.isEmpty()) {
            return SglangTokenUsageRule.Load.MISSING;
        }
        double empty = load.get().queue().share(value -> value < 1);
        if (empty < analysis.threshold(SHARE)) {
            return Verdict.clean("requests wait for " + Units.percent(1 - empty) + " of the time");
        }
        double used = load.get().usage().median();
        if (used >= analysis.threshold(SglangTokenUsageRule.USAGE)) {
            return Verdict.clean("no request waits, and the KV cache is in use");
        }
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.INFO)
                .measure("empty", Units.percent(empty))
                .measure("used", Units.percent(used))
                .claim(
                        "For {empty} of the time no request waits in SGLang's queue, and only {used} of the KV cache is in use: the clients send too little for large batches.")
                .quantity("time with an empty queue", empty, "ratio")
                .quantity("KV cache in use, median", used, "ratio")
                .advice(analysis)
                .noGain("how many requests there could be is not in the recording"));
    }
}
