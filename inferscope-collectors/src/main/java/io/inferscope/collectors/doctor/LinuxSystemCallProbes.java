package io.inferscope.collectors.doctor;

import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.os.PerfEvents.Count;

/** The trials on this machine. */
public final class LinuxSystemCallProbes implements SystemCallProbes {
    private static final int CALLING_THREAD = 0; // perf_event_open(2)

    @Override
    public int readMemory() {
        return new LinuxMemory().readOwn();
    }

    @Override
    public int openPerfEvent() {
        int descriptor = PerfEvents.openCount(Count.PAGE_FAULTS, CALLING_THREAD, true);
        if (descriptor < 0) {
            return descriptor;
        }
        new LinuxSystem().close(descriptor);
        return 0;
    }
}
