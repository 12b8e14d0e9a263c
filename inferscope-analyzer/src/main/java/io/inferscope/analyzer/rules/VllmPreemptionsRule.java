package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import java.util.Optional;

/** Reports requests that vLLM put back for lack of KV cache. Basis and threshold: docs/rules/vllm-preemptions.md. */
final class VllmPreemptionsRule extends Rule {
    VllmPreemptionsRule() {
        super("vllm-preemptions");
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Double> preemptions = analysis.counters().growth("vllm:num_preemptions_total", "vllm:num_preemptions");
        if (preemptions.isEmpty()) {
            return new Verdict.NotApplicable("vllm:num_preemptions_total is not recorded");
        }
        if (preemptions.get() < 1) {
            return Verdict.clean("no request was preempted");
        }
        FindingBuilder finding = finding(analysis.ledger(), 0)
                .severity(Severity.WARNING)
                .measure("count", Units.count(Math.round(preemptions.get())))
                .measure("seqs", sequences(analysis))
                .claim(
                        "vLLM preempted {count} requests: its KV cache was full, and what it had computed for them is computed again.")
                .quantity("requests preempted", preemptions.get(), "count");
        analysis.counters()
                .first("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
                .ifPresent(usage -> finding.quantity("most of the KV cache in use", usage.most(), "ratio"));
        return Verdict.found(finding.advice(analysis).noGain("how much is computed again is not in the counter"));
    }

    /** Returns the number of requests that ran most of the time, which fit into the KV cache. */
    private static String sequences(Analysis analysis) {
        return analysis.counters()
                .first("vllm:num_requests_running")
                .map(Series::median)
                .filter(median -> median >= 1)
                .map(median -> Long.toString(Math.round(median)))
                .orElse("128");
    }
}
