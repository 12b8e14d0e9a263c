package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;

/** Keeps account of how much CPU time this process uses beside the rounds of sampling. Used by the sampling thread. */
final class OverheadMeter {
    private final Kernel kernel;
    private long wallNs;
    private long besideNs;
    private long roundsNs;

    OverheadMeter(Kernel kernel) {
        this.kernel = kernel;
        wallNs = kernel.monotonicNs();
        besideNs = kernel.processCpuNs();
    }

    /** Adds the CPU time of a round. */
    void add(long roundCpuNs) {
        roundsNs += roundCpuNs;
    }

    /** Reports the CPU time used outside the rounds since the last call. */
    void tell(SamplingPace pace) {
        long nowNs = kernel.monotonicNs();
        long nowBesideNs = kernel.processCpuNs() - roundsNs;
        pace.beside(nowBesideNs - besideNs, nowNs - wallNs);
        wallNs = nowNs;
        besideNs = nowBesideNs;
    }
}
