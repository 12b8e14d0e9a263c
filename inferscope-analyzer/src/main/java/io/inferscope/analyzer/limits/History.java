package io.inferscope.analyzer.limits;

import java.util.List;
import java.util.OptionalDouble;

/** The values that figures had in earlier runs of the same program. */
@FunctionalInterface
public interface History {
    /** No earlier runs. */
    History NONE = metric -> List.of();

    /** Fewer runs say nothing of how runs differ. */
    int FEWEST = 8;

    /** Returns the values of a metric, by its long name, in any order. */
    List<Double> values(String metric);

    /** Returns the nearest-rank percentile of a metric; empty with fewer than {@link #FEWEST} values. */
    default OptionalDouble percentile(String metric, int percent) {
        double[] sorted = values(metric).stream()
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        return sorted.length < FEWEST
                ? OptionalDouble.empty()
                : OptionalDouble.of(sorted[Math.max(0, (int) Math.ceil(percent / 100.0 * sorted.length) - 1)]);
    }
}
