package io.inferscope.analyzer.work;

import org.jspecify.annotations.Nullable;

/**
 * How near work came to what the device can do (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009).
 *
 * <pre>
 *   least time = max(operations / peak operations per second, bytes / peak bytes per second)
 *   efficiency = least time / time
 * </pre>
 *
 * @param bound which of the two is larger
 * @param leastNs the least time, in ns
 * @param efficiency the least time as a ratio of the time taken; above 1.1 something is wrong with one of the figures
 * @param fromCache whether the traffic fits into the last cache, where the memory's rate is no limit
 */
public record Roofline(Bound bound, double leastNs, double efficiency, boolean fromCache) {
    /** Above this efficiency, the work, the peak or the time is wrong: clocks and rounding explain no tenth. */
    private static final double ANOMALY = 1.1;

    /** What limits the work at best. */
    public enum Bound {
        COMPUTE("compute"),
        MEMORY("memory");

        private final String text;

        Bound(String text) {
            this.text = text;
        }

        /** Returns the word for it in reports. */
        public String text() {
            return text;
        }
    }

    /**
     * Compares work that took {@code ns} with a device's peak.
     *
     * @param usesTf32 whether float32 products were computed in TF32
     * @return null where the work's traffic, or the peak for its type, is not known
     */
    public static @Nullable Roofline of(Work work, double ns, DevicePeak peak, boolean usesTf32) {
        double rate = work.kind().isMatrix() ? peak.matrixFlopsPerSecond(work.type(), usesTf32) : peak.fp32();
        if (rate <= 0 || !(ns > 0) || !Double.isFinite(work.bytes()) || !Double.isFinite(work.flops())) {
            return null;
        }
        double computeNs = work.flops() / rate * 1e9;
        double memoryNs = work.bytes() / peak.bytesPerSecond() * 1e9;
        Bound bound = computeNs >= memoryNs ? Bound.COMPUTE : Bound.MEMORY;
        double leastNs = Math.max(computeNs, memoryNs);
        return new Roofline(bound, leastNs, leastNs / ns, work.bytes() <= peak.cacheBytes());
    }

    /** Returns whether the efficiency is more than a device can reach, and no cache explains it. */
    public boolean isAnomaly() {
        return efficiency > ANOMALY && !(fromCache && bound == Bound.MEMORY);
    }
}
