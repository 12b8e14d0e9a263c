package io.inferscope.cli.common;

import io.inferscope.analyzer.model.Units;
import java.time.Duration;

/**
 * The CPU time of the work after a recording: import, trace, analysis and report. The program has ended by then, or
 * continues unobserved.
 */
public final class PostRecordingCost {
    private final Duration before = now();

    /** Returns a line for the user with the CPU time since this object was made; the clock has steps of 10 ms. */
    String line() {
        return "Cost:   " + Units.duration(now().minus(before).toNanos())
                + " of CPU time for import, trace and report, after the recording";
    }

    private static Duration now() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }
}
