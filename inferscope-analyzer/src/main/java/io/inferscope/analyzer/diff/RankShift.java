package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.diff.Comparison.Shift;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the ratio by which durations changed, without assuming a distribution: the Hodges-Lehmann estimate on
 * logarithms, with the interval that inverts the Mann-Whitney test (Lehmann, Nonparametrics, 1975, chapter 2).
 *
 * <p>Of all pairs (one duration before, one after) the middle ratio is the estimate. The interval leaves out the {@code
 * k} smallest and largest ratios, where {@code k} follows from the normal approximation of the test's statistic.
 * Successive durations tend to be similar and so carry less information: the statistic's deviation is widened by the
 * correlation of neighbours, as for a first-order autoregressive series. No random numbers are used, so the same
 * durations give the same interval.
 */
final class RankShift {
    /**
     * The normal quantile of 0.995: the interval covers the true ratio with a probability of 99 %, because a report has
     * many intervals.
     */
    private static final double DEVIATIONS = 2.5758293035489004;

    /**
     * With fewer durations on either side there is no interval. With five and five, its ends are the extremes, which
     * cover 99.2 % (1 - 2 / 252).
     */
    static final int FEWEST = 5;

    /**
     * More durations are thinned evenly: they would hardly narrow the interval, and the number of pairs is quadratic.
     */
    static final int MOST = 512;

    private static final double MOST_CORRELATED = 0.9;

    private RankShift() {}

    /**
     * Returns how {@code after} compares with {@code before}, both in time order, in ns; null if either has too few.
     */
    static @Nullable Shift of(long[] before, long[] after) {
        if (before.length < FEWEST || after.length < FEWEST) {
            return null;
        }
        double[] a = logarithms(before);
        double[] b = logarithms(after);
        double[] differences = new double[a.length * b.length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < b.length; j++) {
                differences[i * b.length + j] = b[j] - a[i];
            }
        }
        Arrays.sort(differences);
        int skipped = skipped(a.length, b.length, Math.max(widening(a), widening(b)));
        return new Shift(
                before.length,
                after.length,
                StrictMath.exp(middle(differences)),
                StrictMath.exp(differences[skipped]),
                StrictMath.exp(differences[differences.length - 1 - skipped]));
    }

    private static double middle(double[] sorted) {
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /** How many of the smallest pairs, and how many of the largest, lie outside of the interval. */
    private static int skipped(int n, int m, double widening) {
        double deviation = Math.sqrt((double) n * m * (n + m + 1) / 12) * widening;
        double k = (double) n * m / 2 - DEVIATIONS * deviation - 0.5;
        return (int) Math.max(0, Math.floor(k));
    }

    /** The factor by which correlated neighbours widen the deviation. */
    private static double widening(double[] series) {
        double mean = Arrays.stream(series).sum() / series.length;
        double products = 0;
        double squares = 0;
        for (int i = 0; i < series.length; i++) {
            double off = series[i] - mean;
            squares += off * off;
            products += i == 0 ? 0 : off * (series[i - 1] - mean);
        }
        double correlation = squares == 0 ? 0 : Math.min(MOST_CORRELATED, Math.max(0, products / squares));
        return Math.sqrt((1 + correlation) / (1 - correlation));
    }

    /** Returns the logarithms of at most {@link #MOST} durations, evenly picked; one of 0 ns counts as 1 ns. */
    private static double[] logarithms(long[] durationsNs) {
        int count = Math.min(MOST, durationsNs.length);
        double[] logarithms = new double[count];
        for (int i = 0; i < count; i++) {
            int index = (int) ((long) i * durationsNs.length / count);
            logarithms[i] = StrictMath.log((double) Math.max(1, durationsNs[index]));
        }
        return logarithms;
    }
}
