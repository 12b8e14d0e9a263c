package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import java.util.Optional;

/** Reports requests that wait only because vLLM runs few at once. Basis and threshold: docs/rules/vllm-few-sequences.md. */
final class VllmFewSequencesRule extends Rule {
    private static final Threshold WAITING = new Threshold(
            "vllm-few-sequences.waiting", 0.50, "ratio of readings in which requests wait and as many run as ever");
    private static final Threshold CACHE =
            new Threshold("vllm-few-sequences.cache", 0.50, "KV cache in use above which it is what limits requests");

    VllmFewSequencesRule() {
        super("vllm-few-sequences", WAITING, CACHE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Series> waiting = analysis.counters().first("vllm:num_requests_waiting");
        Optional<Series> running = analysis.counters().first("vllm:num_requests_running");
        Optional<Series> usage = analysis.counters().first("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc");
        if (waiting.isEmpty() || running.isEmpty() || usage.isEmpty()) {
            return new Verdict.NotApplicable(
                    "vllm:num_requests_waiting, vllm:num_requests_running or vllm:kv_cache_usage_perc is not recorded");
        }
        double most = running.get().most();
        double held = shareHeld(waiting.get(), running.get(), most);
        if (held < analysis.threshold(WAITING)) {
            return Verdict.clean(
                    "requests wait, with as many running as ever, in " + Units.percent(held) + " of the readings");
        }
        double used = usage.get().most();
        if (used >= analysis.threshold(CACHE)) {
            return Verdict.clean("requests wait, and " + Units.percent(used) + " of the KV cache is in use");
        }
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.WARNING)
                .measure("most", Units.count(Math.round(most)))
                .measure("held", Units.percent(held))
                .measure("used", Units.percent(used))
                .measure("asked", Units.count(Math.round(most + waiting.get().median())))
                .claim(
                        "In {held} of the readings requests wait while {most} run, and never more run, with at most {used} of the KV cache in use: the limit of requests at once holds them back.")
                .quantity("most requests at once", most, "count")
                .quantity("requests that wait, median", waiting.get().median(), "count")
                .quantity("most of the KV cache in use", used, "ratio")
                .advice(analysis)
                .noGain("how the engine does with larger batches is not in the recording"));
    }

    /** Returns the share of readings in which requests wait while as many run as in any reading. */
    private static double shareHeld(Series waiting, Series running, double most) {
        int held = 0;
        for (int i = 0; i < waiting.size(); i++) {
            held += waiting.value(i) >= 1 && running.at(waiting.timeNs(i)) >= most && most >= 1 ? 1 : 0;
        }
        return (double) held / Math.max(1, waiting.size());
    }
}
