package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;

/**
 * The part of the sampler's CPU time that taking stacks has. Reading the clock costs as much as a small part of a round, so one round in
 * {@value #EVERY} is measured and stands for all. Used by the sampling thread.
 */
final class StackCost {
    private static final int EVERY = 16;

    private final Kernel kernel;
    private long rounds;
    private boolean measured;
    private long startNs;
    private long sumNs;

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

    /** Returns the estimate in ns, no more than {@code mostNs}. */
    long ns(long mostNs) {
        return Math.max(0, Math.min(mostNs, sumNs * EVERY));
    }
}
