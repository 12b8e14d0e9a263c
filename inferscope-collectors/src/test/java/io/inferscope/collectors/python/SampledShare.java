package io.inferscope.collectors.python;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The share of one function in the time of all that take turns on a thread: by samples, and by the program's own clock over the same
 * stretch, from the first sampled turn to the last.
 *
 * <pre>
 *   truth     AAAAAAAAAAAAAAABBBBBBBBBBBB
 *   samples   a    a    a    a    b    b         the end of A's turn is put half-way between the samples around it
 *   stored    [--------------- )[-------
 * </pre>
 *
 * Where in that gap g the turn ends is chance, so it is wrong by a uniform error of variance g^2 / 12; the errors of a function's turns
 * add up. How far samples lie apart there is told by the rows that meet: a row's length by its number of samples, the longer of the two.
 *
 * @param function the function
 * @param sampledPercent by samples
 * @param clockedPercent by the program's clock
 * @param standardErrorPoints one standard error of the former
 */
record SampledShare(String function, double sampledPercent, double clockedPercent, double standardErrorPoints) {
    /** A stretch of samples of one function. */
    private record Stretch(String function, long startNs, long endNs, long firstGapNs, long lastGapNs) {}

    /**
     * Compares.
     *
     * @param samples of one thread that runs one of the functions at a time
     * @param clocked by function, when its turns began and ended in turns, CLOCK_MONOTONIC ns
     */
    static List<SampledShare> of(StackSamples samples, Map<String, List<String>> clocked) {
        List<Stretch> stretches = stretches(samples, clocked);
        if (stretches.size() < 3) {
            return List.of();
        }
        stretches =
                stretches.subList(1, stretches.size() - 1); // The first and the last turn were perhaps not seen whole.
        long fromNs = stretches.get(0).startNs;
        long toNs = stretches.get(stretches.size() - 1).endNs;
        Map<String, Double> sampledNs = new HashMap<>();
        Map<String, Double> varianceNs2 = new HashMap<>();
        for (int i = 0; i < stretches.size(); i++) {
            Stretch stretch = stretches.get(i);
            sampledNs.merge(stretch.function, (double) (stretch.endNs - stretch.startNs), Double::sum);
            double gapNs = i == 0 ? 0 : Math.max(stretches.get(i - 1).lastGapNs, stretch.firstGapNs);
            varianceNs2.merge(stretch.function, gapNs * gapNs / 12, Double::sum);
            if (i > 0) {
                varianceNs2.merge(stretches.get(i - 1).function, gapNs * gapNs / 12, Double::sum);
            }
        }
        Map<String, Double> clockedNs = new HashMap<>();
        clocked.forEach((function, turns) -> clockedNs.put(function, within(turns, fromNs, toNs)));
        double sampledSum = sum(sampledNs);
        double clockedSum = sum(clockedNs);
        List<SampledShare> shares = new ArrayList<>();
        sampledNs.forEach((function, ns) -> shares.add(new SampledShare(
                function,
                100 * ns / sampledSum,
                100 * clockedNs.get(function) / clockedSum,
                100 * Math.sqrt(varianceNs2.get(function)) / sampledSum)));
        return shares;
    }

    private static List<Stretch> stretches(StackSamples samples, Map<String, List<String>> clocked) {
        Timeline timeline = samples.timeline();
        List<Stretch> stretches = new ArrayList<>();
        for (int row : samples.rows()) {
            for (String function : MovingStacksTest.functions(samples, row)) {
                if (clocked.containsKey(function)) {
                    long gapNs = timeline.durationNs(row) / Math.max(1, timeline.attribute(row, Attribute.SAMPLES));
                    add(stretches, function, timeline.startNs(row), timeline.endNs(row), gapNs);
                }
            }
        }
        return stretches;
    }

    private static void add(List<Stretch> stretches, String function, long startNs, long endNs, long gapNs) {
        Stretch last = stretches.isEmpty() ? null : stretches.get(stretches.size() - 1);
        if (last != null && last.function.equals(function)) {
            stretches.set(stretches.size() - 1, new Stretch(function, last.startNs, endNs, last.firstGapNs, gapNs));
        } else {
            stretches.add(new Stretch(function, startNs, endNs, gapNs, gapNs));
        }
    }

    private static double within(List<String> turns, long fromNs, long toNs) {
        double sumNs = 0;
        for (int i = 0; i + 1 < turns.size(); i += 2) {
            long startNs = Math.max(fromNs, Long.parseLong(turns.get(i)));
            long endNs = Math.min(toNs, Long.parseLong(turns.get(i + 1)));
            sumNs += Math.max(0, endNs - startNs);
        }
        return sumNs;
    }

    private static double sum(Map<String, Double> amounts) {
        return amounts.values().stream().mapToDouble(amount -> amount).sum();
    }
}
