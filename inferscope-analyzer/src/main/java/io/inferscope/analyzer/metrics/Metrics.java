package io.inferscope.analyzer.metrics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All figures that limits and rules can use by name; docs/metrics.md lists them. */
public final class Metrics {
    private static final String SHARE = ".share";
    private static final String TIME = ".ns";

    /** Prefix of the roll-up's lines in older files. */
    private static final String ROLLUP = "rollup.";

    private static final Map<String, Metric> BY_NAME = byName();

    private Metrics() {}

    private static Map<String, Metric> byName() {
        Map<String, Metric> metrics = new TreeMap<>();
        LedgerMetrics.all().forEach(metric -> put(metrics, metric));
        FigureMetrics.all().forEach(metric -> put(metrics, metric));
        return metrics;
    }

    private static void put(Map<String, Metric> metrics, Metric metric) {
        metrics.put(metric.name(), metric);
        if (!metric.shortName().isEmpty()) {
            metrics.put(metric.shortName(), metric);
        }
    }

    /** Returns a metric by its name or short name; empty if unknown. Names of counters are always known. */
    public static Optional<Metric> named(String name) {
        return Optional.ofNullable(BY_NAME.get(name))
                .or(() -> Optional.ofNullable(BY_NAME.get(name.replaceFirst("(^|\\.)" + ROLLUP, "$1"))))
                .or(() -> CounterMetrics.named(name));
    }

    /**
     * Returns the metric for a name and an amount: {@code idle} with {@code 20%} is {@code idle.share}, with {@code
     * 5ms} it is {@code idle.ns}. Empty if there is none, or the amount does not decide.
     */
    public static Optional<Metric> named(String name, String amount) {
        Optional<Metric> exact = named(name);
        if (exact.isPresent() || !isTimeOfLedger(name)) {
            return exact;
        }
        if (amount.endsWith("%")) {
            return named(name + SHARE);
        }
        boolean unit = !amount.isEmpty() && Character.isLetter(amount.charAt(amount.length() - 1));
        return unit ? named(name + TIME) : Optional.empty();
    }

    /** Returns whether a name is a ledger time without {@code .share} or {@code .ns}, which the amount decides. */
    public static boolean isTimeOfLedger(String name) {
        return named(name + SHARE).isPresent() && named(name + TIME).isPresent();
    }

    /** Returns the question of a name; empty if there is none. */
    public static Optional<Question> question(String name) {
        return Arrays.stream(Question.values())
                .filter(question -> question.id().equals(name))
                .findFirst();
    }

    /** Returns all names of figures except counters, sorted. */
    public static List<String> names() {
        return new ArrayList<>(BY_NAME.keySet());
    }
}
