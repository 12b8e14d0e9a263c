package io.inferscope.collectors.host;

/**
 * Chooses the sampling period such that observing costs at most its share of one core.
 *
 * <p>A round's cost arises once per period; the other work of the process (writing spools, compiling, collecting
 * garbage) has a fixed share of a core. With budget B, a round's cost c and the other work's share r, the period is
 * {@code c / (B - r)}.
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

    private final double budget;
    private final long shortestNs;
    private final boolean settles;
    private double costNs;
    private double besideRatio;
    private double sumNs;
    private long count;

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

    /** Takes the CPU time of one round of sampling and returns the time to the next one, in ns. */
    public long next(long roundCpuNs) {
        double smoothing = roundCpuNs < costNs ? SMOOTHING_DOWN : SMOOTHING_UP;
        costNs = count == 0 ? 0 : costNs + smoothing * (roundCpuNs - costNs);
        double wantedNs = costNs / (budget - besideRatio);
        if (count < WARM_UP_ROUNDS) {
            wantedNs = Math.min(wantedNs, Math.max(WARM_UP_PERIOD_NS, costNs / Math.max(WARM_UP_BUDGET, budget)));
        }
        double leastNs = settles && sumNs >= SETTLED_NS ? Math.max(shortestNs, SETTLED_PERIOD_NS) : shortestNs;
        long periodNs = Math.round(Math.max(leastNs, Math.min(MAX_PERIOD_NS, wantedNs)));
        sumNs += periodNs;
        count++;
        return periodNs;
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
