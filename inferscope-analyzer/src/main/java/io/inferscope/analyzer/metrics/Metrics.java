package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.MeasureUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

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
    public static Optional<ReportProperty> question(String name) {
        return Arrays.stream(ReportProperty.values())
                .filter(question -> question.id().equals(name))
                .findFirst();
    }

    /** Returns all names of figures except counters, sorted. */
    public static List<String> names() {
        return new ArrayList<>(BY_NAME.keySet());
    }

    /** The values of any counter, {@code counter.NAME.FIGURE}. Only a recording defines which counters exist. */
    private static final class CounterMetrics {
        private static final String PREFIX = "counter.";

        /**
         * Figures of one series by name. Over several processes and labels, {@code most} and {@code least} are the
         * extremes; other figures are summed.
         */
        static final Map<String, ToDoubleFunction<CounterFigures>> FIGURES = Map.of(
                "first", CounterFigures::first,
                "last", CounterFigures::last,
                "least", CounterFigures::least,
                "most", CounterFigures::most,
                "growth", CounterFigures::growth);

        private CounterMetrics() {}

        /** Returns the metric of a name; empty if it does not name a counter. */
        static Optional<Metric> named(String name) {
            int dot = name.lastIndexOf('.');
            String figure = name.substring(dot + 1);
            if (!name.startsWith(PREFIX) || dot <= PREFIX.length() || !FIGURES.containsKey(figure)) {
                return Optional.empty();
            }
            String counter = name.substring(PREFIX.length(), dot);
            return Optional.of(new Metric(
                    name,
                    "",
                    unit(counter),
                    figure + " of the counter " + counter,
                    facts -> read(facts.counters(counter), figure)));
        }

        /** The unit is the end of a counter's name, as in Prometheus. */
        private static MeasureUnit unit(String counter) {
            return counter.endsWith("_ns")
                    ? MeasureUnit.NS
                    : counter.endsWith("_bytes")
                            ? MeasureUnit.BYTES
                            : counter.endsWith("_ratio") ? MeasureUnit.RATIO : MeasureUnit.COUNT;
        }

        private static OptionalDouble read(List<CounterFigures> series, String figure) {
            ToDoubleFunction<CounterFigures> value = FIGURES.get(figure);
            if (series.isEmpty() || value == null) {
                return OptionalDouble.empty();
            }
            DoubleStream values = series.stream().mapToDouble(value);
            return switch (figure) {
                case "most" -> values.max();
                case "least" -> values.min();
                default -> OptionalDouble.of(values.sum());
            };
        }
    }
}
