package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import java.util.Optional;

/**
 * Reports requests that wait although there is room in the KV cache. Basis and threshold:
 * docs/rules/sglang-token-usage.md.
 */
final class SglangTokenUsageRule extends Rule {
    static final Threshold USAGE =
            new Threshold("sglang-token-usage.usage", 0.90, "usage of the KV cache from which it is full");
    private static final Threshold SHARE =
            new Threshold("sglang-token-usage.share", 0.50, "readings with waiting requests and room in the cache");

    /** The number of waiting requests, and the used share of the KV cache. */
    record Load(Series queue, Series usage) {
        static final Verdict MISSING =
                new Verdict.NotApplicable("sglang:num_queue_reqs or sglang:token_usage is not recorded");

        /** Returns the two counters; empty if either is not recorded. */
        static Optional<Load> of(Analysis analysis) {
            Optional<Series> usage = analysis.counters().first("sglang:token_usage");
            return analysis.counters().first("sglang:num_queue_reqs").flatMap(q -> usage.map(u -> new Load(q, u)));
        }
    }

    SglangTokenUsageRule() {
        super("sglang-token-usage", USAGE, SHARE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Load> load = Load.of(analysis);
        if (load.isEmpty()) {
            return Load.MISSING;
        }
        Series queue = load.get().queue;
        Series usage = load.get().usage;
        double full = analysis.threshold(USAGE);
        long queued = 0;
        long roomy = 0;
        for (int i = 0; i < queue.size(); i++) {
            if (queue.value(i) >= 1) {
                queued++;
                roomy += usage.at(queue.timeNs(i)) < full ? 1 : 0;
            }
        }
        if (queued == 0) {
            return Verdict.clean("no request waits");
        }
        double share = (double) roomy / queued;
        if (share < analysis.threshold(SHARE)) {
            return Verdict.clean(
                    "while requests wait, the KV cache is full for " + Units.percent(1 - share) + " of the time");
        }
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.WARNING)
                .measure("share", Units.percent(share))
                .measure("full", Units.percent(full))
                .measure("used", Units.percent(usage.median()))
                .claim(
                        "While requests wait, less than {full} of the KV cache is in use for {share} of the time ({used} in the median): the scheduler keeps too much in reserve.")
                .quantity("readings with waiting requests", queued, "count")
                .quantity("of them with room in the KV cache", roomy, "count")
                .advice(analysis)
                .noGain("how the scheduler would have packed the requests is not in the recording"));
    }
}
