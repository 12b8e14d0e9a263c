package io.inferscope.analyzer.model;

import java.math.BigInteger;

/**
 * Error bound of an amount of time that comes from stack samples. Mutable, not thread-safe.
 *
 * <p>Of N samples of weight w in an interval, n show a class: its time is X = n w, the share p = n / N of the interval
 * S = N w. For randomly drawn samples, n is binomial with variance N p (1 - p), so X is known to within z w sqrt(n (1 -
 * p)), z = 1.96 for 95 % (normal approximation: Brown, Cai, DasGupta, Interval Estimation for a Binomial Proportion,
 * Statistical Science 16, 2001). Here w may differ between samples, and an amount may use only a part of a sample's
 * time, so n w<sup>2</sup> becomes V, the sum over the pieces of length times w. This models samples that fall into the
 * pieces by chance: a gap of 50 us inside a sample of 10 ms contains a sample with a probability of 1 in 200, and the
 * bound is as wide as the gap.
 *
 * <p>The approximation fails for few samples and near certainty. Time that no sample saw may still be as long as three
 * samples (Hanley, Lippman-Hand, If Nothing Goes Wrong, Is Everything All Right?, JAMA 249, 1983), so no bound is
 * smaller than three weights, 3 V / X; and none exceeds what logic allows, the larger of X and S - X.
 */
public final class SamplingError {
    private static final double Z = 1.96;
    private static final double FEWEST_SAMPLES = 3;

    private long sampledNs;
    private BigInteger squares = BigInteger.ZERO;

    /** Adds a piece of {@code ns} in which each sample represents {@code sampleNs}. */
    public void add(long ns, long sampleNs) {
        sampledNs += ns;
        squares = squares.add(BigInteger.valueOf(ns).multiply(BigInteger.valueOf(sampleNs)));
    }

    /** Adds everything of another one. */
    public void addAll(SamplingError other) {
        sampledNs += other.sampledNs;
        squares = squares.add(other.squares);
    }

    /** Returns the time added, in ns. */
    public long sampledNs() {
        return sampledNs;
    }

    /**
     * Returns the bound in ns, either way, when {@code allNs} of sampled time were split into classes; 0 when nothing
     * was added.
     */
    public long boundNs(long allNs) {
        if (sampledNs == 0 || allNs <= 0) {
            return 0;
        }
        double variance = squares.doubleValue();
        double rest = 1 - (double) sampledNs / allNs;
        double bound = Math.max(Z * Math.sqrt(variance * Math.max(0, rest)), FEWEST_SAMPLES * variance / sampledNs);
        return (long) Math.min(Math.ceil(bound), (double) Math.max(sampledNs, allNs - sampledNs));
    }
}
