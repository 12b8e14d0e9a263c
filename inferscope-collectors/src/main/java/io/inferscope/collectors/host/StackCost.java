package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;

/**
 * The share of the sampler's CPU time for taking stacks. Reading the clock for each process would cost as much as a
 * part of the round, so one round in {@value #EVERY} is measured and represents all. Used by the sampling thread.
 */
final class StackCost {
    private static final int EVERY = 16;

    private final OperatingSystem system;
    private long rounds;
    private boolean measured;
    private long startNs;
    private long sumNs;
    private long roundsNs;

    StackCost(OperatingSystem system) {
        this.system = system;
    }

    void round() {
        measured = rounds++ % EVERY == 0;
    }

    /** Notes that taking stacks begins. */
    void begin() {
        startNs = measured ? system.threadCpuNs() : 0;
    }

    /** Notes that it has ended. */
    void end() {
        sumNs += measured ? system.threadCpuNs() - startNs : 0;
    }

    /** Notes the CPU time of the whole round. */
    void add(long roundCpuNs) {
        roundsNs += measured ? roundCpuNs : 0;
    }

    /** Returns the stacks' share of {@code totalNs}, in ns. */
    long ns(long totalNs) {
        return roundsNs <= 0 ? 0 : Math.max(0, Math.min(totalNs, (long) ((double) totalNs * sumNs / roundsNs)));
    }
}
