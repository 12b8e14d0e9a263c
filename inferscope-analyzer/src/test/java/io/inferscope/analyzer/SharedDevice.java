package io.inferscope.analyzer;

import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.fixture.TimelineFixture;

/** A process whose device runs kernels of other processes in turn. */
public final class SharedDevice {
    private SharedDevice() {}

    /**
     * The device computes 2 of each 5 ms for the only process with recorded operations, which waits for it. The driver
     * counts the device busy all the time, with {@code processes} on it.
     */
    public static TimelineFixture takingTurns(double processes) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int ms = 0; ms < 3_000; ms += 5) {
            fixture.kernel("7", 1_000 * ms + 3_000, 1_000 * ms + 5_000, "gemm")
                    .launchedBy("main", 1_000 * ms, 1_000 * ms + 5)
                    .call("main", 1_000 * ms + 10, 1_000 * ms + 5_000, "cudaDeviceSynchronize");
        }
        for (int at = 0; at <= 3_000_000; at += 200_000) {
            fixture.counter(DeviceCounters.key(DeviceCounters.PROCESSES, "0"), at, processes);
            fixture.counter(DeviceCounters.key(DeviceCounters.UTILISATION, "0"), at, 1);
        }
        return fixture;
    }
}
