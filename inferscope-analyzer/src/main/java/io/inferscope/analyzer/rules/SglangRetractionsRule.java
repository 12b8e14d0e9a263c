package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import java.util.Locale;
import java.util.Optional;

/**
 * Reports requests that SGLang retracted for lack of KV cache. Basis and threshold: docs/rules/sglang-retractions.md.
 */
final class SglangRetractionsRule extends Rule {
    private static final Threshold PER_MINUTE =
            new Threshold("sglang-retractions.per-minute", 1.0, "requests retracted per minute, above this");

    SglangRetractionsRule() {
        super("sglang-retractions", PER_MINUTE);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Series> counted = analysis.counters().first("sglang:num_retracted_requests_total");
        Optional<Series> gauge = analysis.counters().first("sglang:num_retracted_reqs");
        Optional<Series> series = counted.isPresent() ? counted : gauge;
        if (series.isEmpty() || series.get().size() < 2) {
            return new Verdict.NotApplicable("sglang:num_retracted_requests_total is not recorded");
        }
        double taken = counted.isPresent()
                ? counted.get().growth()
                : gauge.map(Counters.Series::sum).orElse(0.0);
        double minutes = series.get().spanNs() / 60e9;
        double perMinute = taken / Math.max(1, minutes);
        if (perMinute <= analysis.threshold(PER_MINUTE)) {
            return Verdict.clean(Units.count(Math.round(taken)) + " requests were taken back");
        }
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.WARNING)
                .measure("count", Units.count(Math.round(taken)))
                .measure("rate", String.format(Locale.ROOT, "%.1f", perMinute))
                .claim(
                        "SGLang retracted {count} requests, {rate} a minute: its KV cache was full, and what it had computed for them is computed again.")
                .quantity("requests taken back", taken, "count")
                .advice(analysis)
                .noGain("how much is computed again is not in the counter"));
    }
}
