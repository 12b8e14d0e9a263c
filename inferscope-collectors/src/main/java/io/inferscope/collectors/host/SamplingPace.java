package io.inferscope.collectors.host;

/**
 * Chooses the sampling period such that observing costs at most its share of one core.
 *
 * <p>A round's cost arises once per period; the other work of the process (writing spools, compiling, collecting
 * garbage) has a fixed share of a core. With budget B, a round's cost c and the other work's share r, the period is
 * {@code c / (B - r)}.
 *
 * <p>Part of a round's cost may grow with the time since the last one: a cache was filled with other data, a hypervisor
 * or the kernel took pages away or marked them. A longer period saves nothing of it, so it counts as other work, and
 * {@code c} is the rest. The periods vary, and a line fitted through the costs of rounds over the times before them
 * tells the two parts. Otherwise a longer period makes rounds costlier, which would make the period longer still, until
 * there are one or two samples a second for hardly less CPU time.
 *
 * <p>Unless the user wants more, a long run gets fewer samples once shares of it are known to a point or two: a server
 * is recorded for minutes, and what sampling costs it does not get less.
 */
public final class SamplingPace {
    private static final long SECOND_NS = 1_000_000_000L;

    /** Longest time between two samples. */
    static final long MAX_PERIOD_NS = 1_000_000_000L;

    /**
     * A cheaper round has more weight than a costlier one, because costs fall while the JVM warms up and jump when it
     * is disturbed.
     */
    private static final double SMOOTHING_DOWN = 0.3;

    private static final double SMOOTHING_UP = 0.1;

    /**
     * While the JVM warms up, rounds are costly; short programs still need samples, at up to {@link #WARM_UP_BUDGET} of
     * a core.
     */
    private static final int WARM_UP_ROUNDS = 50;

    private static final long WARM_UP_PERIOD_NS = 20_000_000L;
    private static final double WARM_UP_BUDGET = 0.2;

    private static final long SETTLED_NS = 30 * SECOND_NS;
    private static final long SETTLED_PERIOD_NS = SECOND_NS / 10;

    private static final double SMOOTHING_BESIDE = 0.2;

    /** Largest part of the budget reserved for the other work, which cannot be controlled here. */
    private static final double MOST_BESIDE = 0.5;

    /** Weight of earlier rounds in the line, by round. */
    private static final double MEMORY = 0.95;

    /** A round whose cost exceeds the usual one by more was disturbed, and counts with this multiple in the line. */
    private static final double MOST_UNUSUAL = 3;

    /** Least variance of the times, relative to their squared mean, from which the line has a slope. */
    private static final double LEAST_VARIATION = 0.01;

    /** Least part of a round's cost that does not grow with the time before it. */
    private static final double LEAST_CONSTANT = 0.1;

    /** Among long periods, one of so many is short, because the line must know what a round costs soon after another. */
    private static final int SHORT_ONE_OF = 10;

    private static final long LONG_NS = 4 * WARM_UP_PERIOD_NS;

    private final double budget;
    private final long shortestNs;
    private final boolean settles;
    private double costNs;
    private double besideRatio;
    private double sumNs;
    private long count;

    /** Sums over the rounds: their weights, times before them, costs, squares of the times, products. */
    private final double[] sums = new double[5];

    /** Keeps to {@code budget}, a share of one core, and to at most {@code rateHz} samples a second. */
    public SamplingPace(double budget, int rateHz) {
        this(budget, rateHz, false);
    }

    /** {@code settles}: to at most 10 samples a second after the first 30 s. */
    SamplingPace(double budget, int rateHz, boolean settles) {
        this.budget = budget;
        this.settles = settles;
        shortestNs = SECOND_NS / rateHz;
    }

    /**
     * Takes the CPU time of one round of sampling and returns the time to the next one, in ns.
     *
     * @param sinceNs the time from the start of the round before it to its own, in ns
     */
    public long next(long roundCpuNs, long sinceNs) {
        double smoothing = roundCpuNs < costNs ? SMOOTHING_DOWN : SMOOTHING_UP;
        costNs = count == 0 ? 0 : costNs + smoothing * (roundCpuNs - costNs);
        double growth = growth(Math.min((double) roundCpuNs, MOST_UNUSUAL * costNs), (double) sinceNs);
        double constantNs = Math.max(costNs * LEAST_CONSTANT, costNs - growth * sums[1] / sums[0]);
        double wantedNs = constantNs / (budget - Math.min(besideRatio + growth, budget * MOST_BESIDE));
        if (count < WARM_UP_ROUNDS) {
            wantedNs = Math.min(wantedNs, Math.max(WARM_UP_PERIOD_NS, costNs / Math.max(WARM_UP_BUDGET, budget)));
        } else if (wantedNs > LONG_NS && count % SHORT_ONE_OF == 0) {
            wantedNs = WARM_UP_PERIOD_NS;
        }
        double leastNs = settles && sumNs >= SETTLED_NS ? Math.max(shortestNs, SETTLED_PERIOD_NS) : shortestNs;
        long periodNs = Math.round(Math.max(leastNs, Math.min(MAX_PERIOD_NS, wantedNs)));
        sumNs += periodNs;
        count++;
        return periodNs;
    }

    /** Adds a round to the line and returns its slope: by how much a round's cost grows with the time before it, from 0. */
    private double growth(double roundNs, double sinceNs) {
        double[] round = {1, sinceNs, roundNs, sinceNs * sinceNs, sinceNs * roundNs};
        for (int i = 0; i < sums.length; i++) {
            sums[i] = MEMORY * sums[i] + round[i];
        }
        double meanNs = sums[1] / sums[0];
        double variance = sums[3] / sums[0] - meanNs * meanNs;
        double covariance = sums[4] / sums[0] - meanNs * sums[2] / sums[0];
        return variance > meanNs * meanNs * LEAST_VARIATION ? Math.max(0, covariance / variance) : 0;
    }

    /** Adds the CPU time of the process' other work during {@code wallNs}. */
    void beside(long cpuNs, long wallNs) {
        if (count >= WARM_UP_ROUNDS && wallNs > 0) {
            double now = Math.max(0, (double) cpuNs / wallNs);
            besideRatio += SMOOTHING_BESIDE * (Math.min(now, budget * MOST_BESIDE) - besideRatio);
        }
    }

    /** Returns the target share of one core. */
    double budget() {
        return budget;
    }

    /** Returns the mean period, in ns. */
    public long meanNs() {
        return count == 0 ? shortestNs : Math.round(sumNs / count);
    }
}
