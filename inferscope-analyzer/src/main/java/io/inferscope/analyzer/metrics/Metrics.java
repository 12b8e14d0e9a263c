package io.inferscope.analyzer.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Every figure that can be asked for by its name; docs/rules-file.md lists them. */
public final class Metrics {
    private static final Map<String, Metric> BY_NAME = byName();

    private Metrics() {}

    private static Map<String, Metric> byName() {
        Map<String, Metric> metrics = new TreeMap<>();
        LedgerMetrics.all().forEach(metric -> metrics.put(metric.name(), metric));
        FigureMetrics.all().forEach(metric -> metrics.put(metric.name(), metric));
        return metrics;
    }

    /** Returns a metric by its name; empty where there is none. Any name of a counter is one. */
    public static Optional<Metric> named(String name) {
        return Optional.ofNullable(BY_NAME.get(name)).or(() -> CounterMetrics.named(name));
    }

    /** Returns every name but those of counters, sorted. */
    public static List<String> names() {
        return new ArrayList<>(BY_NAME.keySet());
    }
}
