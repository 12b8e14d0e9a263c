package io.inferscope.collectors.host;

/**
 * Decides how often to sample, so that observing costs no more than its share of one core.
 *
 * <p>What a round costs is paid once a period; what the process does beside (writing spools, compiling, collecting garbage) is paid per
 * second whatever the period is. So with a budget B, a round's cost c and the rest's share r the period is {@code c / (B - r)}.
 */
public final class SamplingPace {
    private static final long SECOND_NS = 1_000_000_000L;

    /** Longest time between two samples. */
    static final long MAX_PERIOD_NS = 1_000_000_000L;

    /** A round that cost less counts for more than one that cost more: costs fall while the JVM warms up, and jump when it is disturbed. */
    private static final double SMOOTHING_DOWN = 0.3;

    private static final double SMOOTHING_UP = 0.1;

    /** While the JVM warms up, rounds are dear; short programs need their samples all the same, at up to this share of a core. */
    private static final int WARM_UP_ROUNDS = 50;

    private static final long WARM_UP_PERIOD_NS = 20_000_000L;
    private static final double WARM_UP_BUDGET = 0.2;

    private static final double SMOOTHING_BESIDE = 0.2;

    /** The rest can be steered by nothing here, so it never takes more than this part of the budget. */
    private static final double MOST_BESIDE = 0.5;

    private final double budget;
    private final long shortestNs;
    private double costNs;
    private double besideRatio;
    private double sumNs;
    private long count;

    /** Keeps to {@code budget}, a share of one core, and samples no more often than {@code rateHz} times a second. */
    public SamplingPace(double budget, int rateHz) {
        this.budget = budget;
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
        long periodNs = Math.round(Math.max((double) shortestNs, Math.min(MAX_PERIOD_NS, wantedNs)));
        sumNs += periodNs;
        count++;
        return periodNs;
    }

    /** Takes the CPU time that the process used beside sampling in a stretch of {@code wallNs}. */
    void beside(long cpuNs, long wallNs) {
        if (count >= WARM_UP_ROUNDS && wallNs > 0) {
            double now = Math.max(0, (double) cpuNs / wallNs);
            besideRatio += SMOOTHING_BESIDE * (Math.min(now, budget * MOST_BESIDE) - besideRatio);
        }
    }

    /** Returns the share of one core that is aimed at. */
    double budget() {
        return budget;
    }

    /** Returns the mean of the times it gave, in ns. */
    public long meanNs() {
        return count == 0 ? shortestNs : Math.round(sumNs / count);
    }
}
