package io.inferscope.collectors.host;

/** Decides how often to sample, so that sampling costs no more than its share of one core. */
final class SamplingPace {
    /** Shortest and longest time between two samples. */
    static final long MIN_PERIOD_NS = 10_000_000L;

    /** See {@link #MIN_PERIOD_NS}. */
    static final long MAX_PERIOD_NS = 100_000_000L;

    private static final double BUDGET = 0.02;
    private static final double SMOOTHING = 0.1;

    private double costNs;
    private long longestNs = MIN_PERIOD_NS;
    private double sumNs;
    private long count;

    /** Takes the CPU time of one round of sampling and returns the time to the next one, in ns. */
    long next(long roundCpuNs) {
        costNs = count == 0 ? 0 : costNs + SMOOTHING * (roundCpuNs - costNs);
        long periodNs = Math.round(Math.max(MIN_PERIOD_NS, Math.min(MAX_PERIOD_NS, costNs / BUDGET)));
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
