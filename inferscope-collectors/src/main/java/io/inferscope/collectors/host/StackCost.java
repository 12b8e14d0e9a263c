package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;

/**
 * The part of the sampler's CPU time that taking stacks has. Reading the clock for each process would cost as much as a part of the round, so one
 * round in {@value #EVERY} is measured, and stands for all. Used by the sampling thread.
 */
final class StackCost {
    private static final int EVERY = 16;

    private final Kernel kernel;
    private long rounds;
    private boolean measured;
    private long startNs;
    private long sumNs;
    private long roundsNs;

    StackCost(Kernel kernel) {
        this.kernel = kernel;
    }

    /** Begins a round. */
    void round() {
        measured = rounds++ % EVERY == 0;
    }

    /** Says that stacks are taken from here. */
    void begin() {
        startNs = measured ? kernel.threadCpuNs() : 0;
    }

    /** Says that they were. */
    void end() {
        sumNs += measured ? kernel.threadCpuNs() - startNs : 0;
    }

    /** Says what the whole round took. */
    void add(long roundCpuNs) {
        roundsNs += measured ? roundCpuNs : 0;
    }

    /** Returns the part that stacks have in {@code totalNs}, in ns. */
    long ns(long totalNs) {
        return roundsNs <= 0 ? 0 : Math.max(0, Math.min(totalNs, (long) ((double) totalNs * sumNs / roundsNs)));
    }
}
