package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.RooflineBound;
import org.jspecify.annotations.Nullable;

/**
 * How close work came to the device's peak (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009).
 *
 * <pre>
 *   least time = max(operations / peak operations per second, bytes / peak bytes per second)
 *   efficiency = least time / time
 * </pre>
 *
 * @param computeNs the time of the operations at the peak, in ns
 * @param memoryNs the time of the traffic at the peak of the memory, in ns
 * @param ns the time taken
 * @param fromCache whether the traffic fits into the last-level cache, so that the memory's rate is no limit
 */
public record Roofline(double computeNs, double memoryNs, double ns, boolean fromCache) {
    /** Above this efficiency, the work, the peak or the time is wrong: clocks and rounding cannot explain 10 %. */
    private static final double ANOMALY = 1.1;

    /**
     * Compares work that took {@code ns} with a device's peak.
     *
     * @param usesTf32 whether float32 products were computed in TF32
     * @return null if the work's traffic, or the peak for its type, is not known
     */
    public static @Nullable Roofline of(Work work, double ns, DevicePeak peak, boolean usesTf32) {
        double rate = work.kind().isMatrix() ? peak.matrixFlopsPerSecond(work.type(), usesTf32) : peak.fp32();
        if (rate <= 0 || !(ns > 0) || !Double.isFinite(work.bytes()) || !Double.isFinite(work.flops())) {
            return null;
        }
        double computeNs = work.flops() / rate * 1e9;
        double memoryNs = work.bytes() / peak.bytesPerSecond() * 1e9;
        return new Roofline(computeNs, memoryNs, ns, work.bytes() <= peak.cacheBytes());
    }

    /** Returns which of the two is larger. */
    public RooflineBound bound() {
        return computeNs >= memoryNs ? RooflineBound.COMPUTE : RooflineBound.MEMORY;
    }

    /** Returns the least time as a ratio of the time taken; above 1.1 one of the figures is wrong. */
    public double efficiency() {
        return Math.max(computeNs, memoryNs) / ns;
    }

    /** Returns whether the efficiency exceeds what a device can reach, and no cache explains it. */
    public boolean isAnomaly() {
        return efficiency() > ANOMALY && !(fromCache && bound() == RooflineBound.MEMORY);
    }
}
