package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;

/** Keeps account of how much CPU time this process uses beside the rounds of sampling. Used by the sampling thread. */
final class OverheadMeter {
    private final OperatingSystem system;
    private long wallNs;
    private long besideNs;
    private long roundsNs;

    OverheadMeter(OperatingSystem system) {
        this.system = system;
        wallNs = system.monotonicNs();
        besideNs = system.processCpuNs();
    }

    /** Adds the CPU time of a round. */
    void add(long roundCpuNs) {
        roundsNs += roundCpuNs;
    }

    /** Reports the CPU time used outside the rounds since the last call. */
    void tell(SamplingPace pace) {
        long nowNs = system.monotonicNs();
        long nowBesideNs = system.processCpuNs() - roundsNs;
        pace.beside(nowBesideNs - besideNs, nowNs - wallNs);
        wallNs = nowNs;
        besideNs = nowBesideNs;
    }
}
