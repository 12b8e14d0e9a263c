package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.diff.Comparison.RunPaces;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.timeline.Order;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Several runs of each program: their paces show how runs of one program differ, which the steps of a single run cannot
 * show.
 */
public final class RepeatedRuns {
    /** Fewest runs altogether from which a difference between runs of one program can be estimated. */
    private static final int FEWEST = 3;

    /**
     * Student's t for a probability of 0.995, by degrees of freedom from 1 on: as everywhere in a comparison, the
     * interval covers the true ratio with a probability of 99 %. The last one is also used for more.
     */
    private static final double[] T = {
        63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921,
        2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750
    };

    private final List<Side> before;
    private final List<Side> after;
    private final Unit unit;

    /** Takes the runs of the program before and of the one after: at least one of each. */
    public RepeatedRuns(List<Side> before, List<Side> after) {
        this.before = List.copyOf(before);
        this.after = List.copyOf(after);
        this.unit = Unit.of(before.get(0), after.get(0));
    }

    /** Returns why the runs of a program cannot be put together; empty if they can. */
    public Optional<String> refusal() {
        return refusal(before, run -> Unit.of(run, after.get(0)))
                .or(() -> refusal(after, run -> Unit.of(before.get(0), run)));
    }

    private boolean isSame(Unit other) {
        return other.kind() == unit.kind() && other.label().equals(unit.label()) && other.isRound() == unit.isRound();
    }

    private Optional<String> refusal(List<Side> runs, Function<Side, Unit> compared) {
        return runs.stream()
                .filter(run -> !isSame(compared.apply(run)))
                .findFirst()
                .map(odd -> unlike(runs, odd));
    }

    private String unlike(List<Side> runs, Side odd) {
        return odd.title() + " does not consist of the same steps or requests as "
                + runs.get(0).title() + (unit.isDivided() ? " (`" + unit.label() + "`)" : "") + ": leave it out";
    }

    /**
     * Returns which run stands for those before: the one of median pace, or the first whose verdict is withheld, because
     * no conclusion can be drawn then.
     */
    public int typicalBefore() {
        return typical(before, beforeNs());
    }

    /** Returns which run stands for those after. */
    public int typicalAfter() {
        return typical(after, afterNs());
    }

    private static int typical(List<Side> runs, long[] pacesNs) {
        return IntStream.range(0, runs.size())
                .filter(i -> runs.get(i).isDistrusted())
                .findFirst()
                .orElseGet(() -> IntStream.range(0, runs.size())
                        .boxed()
                        .sorted(Order.<Integer>comparingLong(i -> pacesNs[i]).thenComparing(Comparator.naturalOrder()))
                        .skip((runs.size() - 1) / 2)
                        .findFirst()
                        .orElse(0));
    }

    /** Returns the time of a unit in each run before, in ns. */
    long[] beforeNs() {
        return before.stream()
                .mapToLong(run -> Unit.of(run, after.get(0)).before().medianNs())
                .toArray();
    }

    /** Returns the time of a unit in each run after, in ns. */
    long[] afterNs() {
        return after.stream()
                .mapToLong(run -> Unit.of(before.get(0), run).after().medianNs())
                .toArray();
    }

    RunPaces paces() {
        return new RunPaces(
                Arrays.stream(beforeNs()).boxed().toList(),
                Arrays.stream(afterNs()).boxed().toList());
    }

    /**
     * Returns how the paces compare: the ratio of their geometric means, with the interval of Student's t on logarithms,
     * both programs being taken to differ equally from run to run. Null with fewer than {@link #FEWEST} runs altogether.
     */
    @Nullable
    Shift shift() {
        return shift(beforeNs(), afterNs());
    }

    static @Nullable Shift shift(long[] beforeNs, long[] afterNs) {
        int freedom = beforeNs.length + afterNs.length - 2;
        if (freedom < FEWEST - 2) {
            return null;
        }
        double[] one = logarithms(beforeNs);
        double[] other = logarithms(afterNs);
        double grown = mean(other) - mean(one);
        double variance = (squares(one) + squares(other)) / freedom;
        double error =
                T[Math.min(freedom, T.length) - 1] * Math.sqrt(variance * (1.0 / one.length + 1.0 / other.length));
        return new Shift(
                one.length,
                other.length,
                StrictMath.exp(grown),
                StrictMath.exp(grown - error),
                StrictMath.exp(grown + error));
    }

    private static double[] logarithms(long[] ns) {
        return Arrays.stream(ns)
                .mapToDouble(value -> StrictMath.log((double) Math.max(1, value)))
                .toArray();
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).sum() / values.length;
    }

    private static double squares(double[] values) {
        double mean = mean(values);
        return Arrays.stream(values)
                .map(value -> (value - mean) * (value - mean))
                .sum();
    }
}
