package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.metrics.AnalysisFacts;
import io.inferscope.analyzer.metrics.Metric;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A user's rule: a figure compared with a limit. Syntax: docs/rules-file.md.
 *
 * @param info its id, which begins with {@link #PREFIX}, its title and what must be recorded
 * @param metric the figure
 * @param comparison the comparison
 * @param limit the limit, in the figure's unit
 * @param message the claim if the comparison holds; the names of {@link #PLACEHOLDERS} in braces are filled in
 * @param advice what to do about it, filled in likewise
 * @param severity its severity; empty for the severity of its share of the ledger
 */
public record DeclaredRule(
        RuleInfo info,
        Metric metric,
        Comparison comparison,
        double limit,
        String message,
        String advice,
        Optional<Severity> severity) {
    /** Prefix of the ids of users' rules, which built-in rules do not have. */
    public static final String PREFIX = "user/";

    /** Placeholders allowed in braces in a message or an advice. */
    public static final List<String> PLACEHOLDERS = List.of("value", "limit", "metric", "cost", "share", "part");

    /** How a figure is compared with a limit. */
    public enum Comparison implements HasStableId {
        /** Larger. */
        ABOVE,
        /** Larger or the same. */
        AT_LEAST,
        /** Smaller. */
        BELOW,
        /** Smaller or the same. */
        AT_MOST;

        boolean holds(double value, double limit) {
            return switch (this) {
                case ABOVE -> value > limit;
                case AT_LEAST -> value >= limit;
                case BELOW -> value < limit;
                case AT_MOST -> value <= limit;
            };
        }

        /** Returns whether the rule reports large figures. A time is then the finding's cost. */
        boolean mindsMuch() {
            return this == ABOVE || this == AT_LEAST;
        }
    }

    /** Judges one recording, which has everything that the rule needs. */
    Verdict evaluate(AnalysisFacts facts) {
        OptionalDouble value = metric.read(facts);
        if (value.isEmpty()) {
            return new Verdict.NotApplicable(
                    metric.name() + ": " + metric.source().absence(facts));
        }
        if (!comparison.holds(value.getAsDouble(), limit)) {
            return Verdict.clean(metric.name() + " is " + text(value.getAsDouble()));
        }
        return Verdict.found(finding(facts, value.getAsDouble()));
    }

    private FindingBuilder finding(AnalysisFacts facts, double value) {
        Ledger ledger = metric.source().ledger(facts).orElse(facts.analysis().ledger());
        long costNs = comparison.mindsMuch()
                ? metric.source().classes().stream().mapToLong(ledger::ns).sum()
                : 0;
        FindingBuilder finding = FindingBuilder.of(info.id(), ledger, costNs)
                .measure("value", text(value))
                .measure("limit", text(limit))
                .measure("metric", metric.name())
                .message(message)
                .advice(advice)
                .noGain("a rule of your own says nothing about what a change would save")
                .quantity(metric.name(), value, metric.unit().id())
                .quantity(
                        "a finding when " + comparison.id().replace('-', ' '),
                        limit,
                        metric.unit().id());
        if (comparison.mindsMuch()) {
            finding.places(facts.analysis(), 3, b -> metric.source().classes().contains(b.cause()));
        }
        severity.ifPresent(finding::severity);
        return finding;
    }

    private String text(double value) {
        return metric.unit() == MeasureUnit.COUNT && value != Math.rint(value)
                ? Double.toString(Math.round(value * 1000) / 1000.0)
                : Units.quantity(value, metric.unit().id());
    }
}
