package io.inferscope.report.common;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Percentages with one decimal that total 100.0, by largest remainder: each is rounded down to a tenth, and the missing
 * tenths are added to those with the largest remainders. Each error is less than a tenth.
 */
final class Percentages {
    private static final int WHOLE = 1_000;

    private Percentages() {}

    /** Returns the percentages of non-negative parts, in their order; all are 0.0% when the parts sum to 0. */
    static List<String> of(List<Long> parts) {
        double sum = parts.stream().mapToDouble(part -> Math.max(0, part)).sum();
        double[] exact = parts.stream()
                .mapToDouble(part -> sum == 0 ? 0 : Math.max(0, part) / sum * WHOLE)
                .toArray();
        int[] tenths = IntStream.range(0, exact.length).map(i -> (int) exact[i]).toArray();
        int missing = sum == 0 ? 0 : WHOLE - IntStream.of(tenths).sum();
        IntStream.range(0, exact.length)
                .boxed()
                .sorted((a, b) -> Double.compare(tenths[a] - exact[a], tenths[b] - exact[b]))
                .limit(Math.max(0, missing))
                .forEach(i -> tenths[i]++);
        return IntStream.of(tenths).mapToObj(Percentages::text).toList();
    }

    private static String text(int tenths) {
        return tenths / 10 + "." + tenths % 10 + "%";
    }
}
