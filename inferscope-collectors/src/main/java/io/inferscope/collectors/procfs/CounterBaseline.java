package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.OperatingSystem;

/**
 * The kernel's counts of a thread at the begin of its observation, which are not part of the recording. All 0 if they
 * cannot be read.
 *
 * @param timeNs when it was read, CLOCK_MONOTONIC
 * @param cpuNs time on a CPU, in ns
 * @param runnableNs time spent runnable but not running, in ns
 * @param minorFaults page faults without reading a disk
 * @param majorFaults page faults that read a disk
 * @param systemTicks time in the kernel, in units of USER_HZ
 */
public record CounterBaseline(
        long timeNs, long cpuNs, long runnableNs, long minorFaults, long majorFaults, long systemTicks) {
    private static final int BUFFER_BYTES = 1024;
    private static final int MINOR_FAULTS = 7; // Fields of stat, counted from the state letter on: proc(5) 10 and 12.
    private static final int MAJOR_FAULTS = 9;
    private static final int SYSTEM_TICKS = 12; // proc(5) 15

    /** Reads the counters of a thread. */
    public static CounterBaseline of(OperatingSystem system, int pid, int tid) {
        String folder = "/proc/" + pid + "/task/" + tid + "/";
        byte[] buffer = new byte[BUFFER_BYTES];
        int statLength = ProcFiles.read(system, folder + "stat", buffer);
        long minor = 0;
        long major = 0;
        long systemTicks = 0;
        if (statLength > 0) {
            int from = ProcText.stateIndex(buffer, statLength);
            minor = ProcText.number(buffer, from, statLength, MINOR_FAULTS);
            major = ProcText.number(buffer, from, statLength, MAJOR_FAULTS);
            systemTicks = ProcText.number(buffer, from, statLength, SYSTEM_TICKS);
        }
        int length = ProcFiles.read(system, folder + "schedstat", buffer);
        long cpuNs = length <= 0 ? 0 : ProcText.number(buffer, 0, length, 0);
        long runnableNs = length <= 0 ? 0 : ProcText.number(buffer, 0, length, 1);
        return new CounterBaseline(system.monotonicNs(), cpuNs, runnableNs, minor, major, systemTicks);
    }
}
