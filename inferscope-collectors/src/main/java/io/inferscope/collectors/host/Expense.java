package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;

/** Reads how much CPU time this process uses beside the sampling thread. Used by that thread. */
final class Expense {
    private final Kernel kernel;
    private long wallNs;
    private long besideNs;

    Expense(Kernel kernel) {
        this.kernel = kernel;
        wallNs = kernel.monotonicNs();
        besideNs = kernel.processCpuNs() - kernel.threadCpuNs();
    }

    /** Tells what was used since the last time. */
    void addTo(SamplingPace pace) {
        long nowNs = kernel.monotonicNs();
        long nowBesideNs = kernel.processCpuNs() - kernel.threadCpuNs();
        pace.beside(nowBesideNs - besideNs, nowNs - wallNs);
        wallNs = nowNs;
        besideNs = nowBesideNs;
    }
}
