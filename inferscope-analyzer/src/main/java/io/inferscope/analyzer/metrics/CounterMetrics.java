package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.MeasureUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The values of any counter, {@code counter.NAME.FIGURE}. Only a recording defines which counters exist. */
final class CounterMetrics {
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
