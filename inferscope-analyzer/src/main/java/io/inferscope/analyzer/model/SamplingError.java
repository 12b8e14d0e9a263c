package io.inferscope.analyzer.model;

import java.math.BigInteger;
import java.util.Arrays;

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
 *
 * <p>Samples at even distances see work that repeats more evenly than chance would. Where the time is known in each of
 * {@value #BLOCKS} blocks of equal length, X is their sum, and known to within t sqrt({@value #BLOCKS}) s, with the
 * standard deviation s of the blocks (batch means: Law, Simulation Modeling and Analysis, 9.5.3). The smaller bound
 * holds.
 */
public final class SamplingError {
    private static final double Z = 1.96;
    private static final double FEWEST_SAMPLES = 3;

    /** Blocks of equal length, whose amounts show how evenly samples see what repeats. */
    public static final int BLOCKS = 16;

    /** Student's t for 95 % and one degree of freedom less than there are blocks. */
    private static final double T = 2.13;

    private long sampledNs;
    private BigInteger squares = BigInteger.ZERO;
    private final long[] blocksNs = new long[BLOCKS];
    private long inBlocksNs;

    /** Adds a piece of {@code ns} in which each sample represents {@code sampleNs}. */
    public void add(long ns, long sampleNs) {
        sampledNs += ns;
        squares = squares.add(BigInteger.valueOf(ns).multiply(BigInteger.valueOf(sampleNs)));
    }

    /** Adds the same in one of the blocks. */
    public void add(long ns, long sampleNs, int block) {
        add(ns, sampleNs);
        blocksNs[block] += ns;
        inBlocksNs += ns;
    }

    /** Adds everything of another one. */
    public void addAll(SamplingError other) {
        for (int i = 0; i < BLOCKS; i++) {
            blocksNs[i] += other.blocksNs[i];
        }
        inBlocksNs += other.inBlocksNs;
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
        double chance = Z * Math.sqrt(variance * Math.max(0, rest));
        double bound = Math.max(Math.min(chance, ofBlocksNs(variance)), FEWEST_SAMPLES * variance / sampledNs);
        return (long) Math.min(Math.ceil(bound), (double) Math.max(sampledNs, allNs - sampledNs));
    }

    /** Returns the bound that the blocks show; without limit where they hold too few samples, or not all of the time. */
    private double ofBlocksNs(double variance) {
        if (inBlocksNs < sampledNs || (double) sampledNs * sampledNs < BLOCKS * variance) {
            return Double.MAX_VALUE;
        }
        double mean = (double) sampledNs / BLOCKS;
        double squared = Arrays.stream(blocksNs)
                .mapToDouble(ns -> (ns - mean) * (ns - mean))
                .sum();
        return T * Math.sqrt(BLOCKS * squared / (BLOCKS - 1));
    }
}
