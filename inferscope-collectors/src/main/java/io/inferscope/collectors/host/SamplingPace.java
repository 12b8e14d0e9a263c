package io.inferscope.collectors.host;

/** Decides how often to sample, so that sampling costs no more than its share of one core. */
final class SamplingPace {
    /** Shortest and longest time between two samples. */
    static final long MIN_PERIOD_NS = 10_000_000L;

    /** See {@link #MIN_PERIOD_NS}. */
    static final long MAX_PERIOD_NS = 100_000_000L;

    private static final double BUDGET = 0.02;

    /** A round that cost less counts for more than one that cost more: costs fall while the JVM warms up, and jump when it is disturbed. */
    private static final double SMOOTHING_DOWN = 0.3;

    private static final double SMOOTHING_UP = 0.1;

    /** While the JVM warms up, rounds are dear; short programs need their samples all the same. */
    private static final int WARM_UP_ROUNDS = 50;

    private static final long WARM_UP_PERIOD_NS = 20_000_000L;

    private double costNs;
    private long longestNs = MIN_PERIOD_NS;
    private double sumNs;
    private long count;

    /** Takes the CPU time of one round of sampling and returns the time to the next one, in ns. */
    long next(long roundCpuNs) {
        double smoothing = roundCpuNs < costNs ? SMOOTHING_DOWN : SMOOTHING_UP;
        costNs = count == 0 ? 0 : costNs + smoothing * (roundCpuNs - costNs);
        long longest = count < WARM_UP_ROUNDS ? WARM_UP_PERIOD_NS : MAX_PERIOD_NS;
        long periodNs = Math.round(Math.max(MIN_PERIOD_NS, Math.min((double) longest, costNs / BUDGET)));
        longestNs = Math.max(longestNs, periodNs);
        sumNs += periodNs;
        count++;
        return periodNs;
    }

    /** Returns the mean time between two samples, in ns. */
    long meanNs() {
        return count == 0 ? MIN_PERIOD_NS : Math.round(sumNs / count);
    }

    /** Returns the longest time between two samples, in ns. */
    long longestNs() {
        return longestNs;
    }
}
