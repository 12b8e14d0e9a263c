package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.model.Units;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Finds the step from which on the lengths of steps no longer change.
 *
 * <pre>
 *   length   800 90 14 12 13 12 31 12 13 12     31: one slow step does not end a steady state
 *            |warm-up| steady ............
 * </pre>
 *
 * <p>Steps are compared with steps of their own kind. A step is slow if it takes 1.5 times the median of the second
 * half, and more than 1.25 times the 95th percentile there. Warm-up lasts until three steps in a row are not slow. The
 * rest is a steady state if it has enough steps, if its halves do not differ by more than {@code steady.drift}, and if
 * the steps fill at least half of it.
 *
 * <p>Times between returns to a line, as stack samples show them, are no lengths of rounds: samples and rounds make
 * beats, and both lengths and their mean vary. There, only steps that take more than {@value #FAR_SLOWER} times as long
 * as any later one are warm-up.
 */
public final class SteadyState {
    /** Least number of steps of a steady state, and the factor by which the means of its halves may differ. */
    public record Limits(int steps, double drift) {}

    private static final int IN_A_ROW = 3;
    private static final double SLOW = 1.5;
    private static final double ABOVE_MOST = 1.25;
    private static final double LEAST_FILLED = 0.5;

    /** Steps that fill less recur all the same if no gap between two of them is a larger share of their stretch. */
    private static final double LONGEST_GAP = 0.1;

    private static final int FAR_SLOWER = 4;

    private final List<Step> steps;
    private final double[] relative;
    private final double limit;
    private final int first;
    private String why = "";

    /**
     * Finds warm-up by the lengths of steps.
     *
     * @param warmUp the least number of steps of warm-up, as far as enough steps follow
     */
    SteadyState(List<Step> steps, Limits limits, int warmUp) {
        this(steps, limits, warmUp, true);
    }

    /** {@code byLengths}: whether the lengths of steps may show a longer warm-up. */
    private SteadyState(List<Step> steps, Limits limits, int warmUp, boolean byLengths) {
        this.steps = steps;
        this.relative = relative(steps);
        this.limit = Math.max(SLOW, ABOVE_MOST * percentile(relative.length / 2, relative.length, 95));
        int slow = byLengths ? warmUpSteps() : 0;
        boolean enough = !byLengths || steps.size() - warmUp >= limits.steps();
        this.first = find(limits.steps(), limits.drift(), enough ? Math.max(slow, warmUp) : slow);
    }

    /** Takes steps from one return to a line to the next, as stack samples show them. */
    static SteadyState ofReturns(List<Step> steps, Limits limits) {
        int slow = 0;
        long longestNs = 0;
        for (int i = steps.size() - 1; i >= 0 && slow == 0; i--) {
            long ns = steps.get(i).durationNs();
            slow = i < steps.size() / 2 && ns > FAR_SLOWER * longestNs ? i + 1 : 0;
            longestNs = Math.max(longestNs, ns);
        }
        return new SteadyState(steps, new Limits(limits.steps(), Double.POSITIVE_INFINITY), slow, false);
    }

    /** Returns the number of the first steady step, -1 without a steady state. */
    int first() {
        return first;
    }

    /** Returns why there is no steady state; empty when there is one. */
    String why() {
        return why;
    }

    private int find(int least, double drift, int from) {
        if (steps.size() - from < least) {
            why = from == 0
                    ? "only " + steps.size() + " steps were recorded, and " + least + " are needed"
                    : "only " + (steps.size() - from) + " steps follow the slow ones, and " + least + " are needed";
            return -1;
        }
        int middle = (from + steps.size()) / 2;
        double early = mean(from, middle);
        double late = mean(middle, steps.size());
        if (Math.max(early, late) > drift * Math.min(early, late)) {
            why = "the steps of the second half differ from those of the first by a factor of "
                    + Units.fixed(Math.max(early, late) / Math.max(1e-9, Math.min(early, late)), 1);
            return -1;
        }
        long stretchNs = steps.get(steps.size() - 1).endNs() - steps.get(from).startNs();
        long filledNs = steps.subList(from, steps.size()).stream()
                .mapToLong(Step::durationNs)
                .sum();
        if (filledNs < LEAST_FILLED * stretchNs && longestGapNs(from) > LONGEST_GAP * stretchNs) {
            why = "steps fill less than half of the time from the first to the last, with a gap of "
                    + Units.duration(longestGapNs(from));
            return -1;
        }
        return from;
    }

    private long longestGapNs(int from) {
        return IntStream.range(from + 1, steps.size())
                .mapToLong(i -> steps.get(i).startNs() - steps.get(i - 1).endNs())
                .max()
                .orElse(0);
    }

    /**
     * Lengths relative to the median of the steps of the same label in the second half; without any there, to that of
     * all steps of the label.
     */
    private static double[] relative(List<Step> steps) {
        Map<String, Percentiles> late = new HashMap<>();
        Map<String, Percentiles> all = new HashMap<>();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            all.computeIfAbsent(step.label(), label -> new Percentiles()).add(step.durationNs());
            if (i >= steps.size() / 2) {
                late.computeIfAbsent(step.label(), label -> new Percentiles()).add(step.durationNs());
            }
        }
        double[] relative = new double[steps.size()];
        for (int i = 0; i < relative.length; i++) {
            String label = steps.get(i).label();
            Percentiles compared = late.getOrDefault(label, all.getOrDefault(label, new Percentiles()));
            relative[i] = (double) steps.get(i).durationNs() / Math.max(1, compared.percentile(50));
        }
        return relative;
    }

    private int warmUpSteps() {
        int normal = 0;
        for (int i = 0; i < relative.length; i++) {
            normal = relative[i] > limit ? 0 : normal + 1;
            if (normal == IN_A_ROW) {
                return i + 1 - IN_A_ROW;
            }
        }
        return relative.length - normal;
    }

    /**
     * The mean, because steps of different work may alternate, for which a median is unstable. A slow step counts with
     * the limit of slow steps.
     */
    private double mean(int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += Math.min(relative[i], limit);
        }
        return sum / (to - from);
    }

    private double percentile(int from, int to, int percent) {
        Percentiles samples = new Percentiles();
        for (int i = from; i < to; i++) {
            samples.add(Math.round(relative[i] * 1e6));
        }
        return samples.percentile(percent) / 1e6;
    }
}
