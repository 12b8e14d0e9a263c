package io.inferscope.cli.common;

import java.time.Duration;
import java.util.Locale;

/**
 * One stage of a command's work, clocked for {@code --log-level debug}: wall time, and CPU time of all of the program's
 * threads, those of the compiler and the garbage collector among them.
 */
public final class Stage {
    private final Log log;
    private final boolean clocked;
    private long wallNs;
    private long cpuNs;

    /** Begins the first stage. No clock is read if the log would not print the result. */
    public Stage(Log log) {
        this.log = log;
        clocked = log.level().says(LogLevel.DEBUG);
        begin();
    }

    /** Prints the cost of the current stage, and begins the next one. */
    public void done(String what) {
        if (!clocked) {
            return;
        }
        log.debug(String.format(
                Locale.ROOT,
                "%s: %.2f s, CPU %.2f s",
                what,
                (System.nanoTime() - wallNs) / 1e9,
                (cpuNs() - cpuNs) / 1e9));
        begin();
    }

    private void begin() {
        if (clocked) {
            wallNs = System.nanoTime();
            cpuNs = cpuNs();
        }
    }

    private static long cpuNs() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
