package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;

/**
 * Waits from one round of sampling to the next. The time a round took is part of its period, and periods vary by half,
 * so that a program with a rhythm of its own is not seen at the same beat each time. If they varied by a tenth, samples
 * of a program whose steps take as long as a period would stay at one beat for hundreds of rounds.
 */
final class RoundTimer {
    private static final double VARIATION = 0.5;

    private final OperatingSystem system;
    private long dueNs = Long.MIN_VALUE / 2;
    private long random = 0x9e37_79b9_7f4a_7c15L;

    RoundTimer(OperatingSystem system) {
        this.system = system;
    }

    /**
     * Waits until about {@code periodNs} after the last round was due, which began at {@code startNs}, or until it is
     * woken.
     */
    void await(long startNs, long periodNs) {
        dueNs = nextDue(startNs, varied(periodNs));
        long waitNs = dueNs - system.monotonicNs();
        if (waitNs > 0) {
            system.sleep(waitNs);
        }
    }

    /**
     * A round that begins late does not delay the next ones, unless it is so late that catching up would crowd them.
     */
    private long nextDue(long startNs, long periodNs) {
        boolean crowded = startNs - dueNs > periodNs;
        return (crowded ? startNs : dueNs) + periodNs;
    }

    /** Returns a time within half of {@code periodNs}, equally likely on both sides. */
    long varied(long periodNs) {
        random ^= random << 13; // Marsaglia, Xorshift RNGs (2003)
        random ^= random >>> 7;
        random ^= random << 17;
        double unit = (random >>> 11) * 0x1p-53;
        return Math.round(periodNs * (1 + VARIATION * (2 * unit - 1)));
    }
}
