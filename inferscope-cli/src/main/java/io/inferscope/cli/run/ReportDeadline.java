package io.inferscope.cli.run;

import io.inferscope.analyzer.model.Units;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RunOutputs;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Ends {@code run} if the report takes too long, so that a caller does not wait without limit for the program's exit
 * code. The recording is kept.
 */
record ReportDeadline(Thread thread) implements AutoCloseable {
    /** Least time for a report, which usually takes a few seconds. The user may set a shorter time. */
    private static final Duration LEAST = Duration.ofMinutes(2);

    /** Returns the default time for a report: as long as the program ran, at least two minutes. */
    static Duration afterRunOf(long wallNs) {
        Duration ran = Duration.ofNanos(wallNs);
        return ran.compareTo(LEAST) > 0 ? ran : LEAST;
    }

    /**
     * Starts the timer; closing it stops it.
     *
     * @param exit ends the process with the program's exit code
     */
    static ReportDeadline start(Duration time, Path spools, PrintWriter err, Runnable exit) {
        Thread thread = new Thread(
                () -> {
                    try {
                        Thread.sleep(time.toMillis());
                    } catch (InterruptedException finished) {
                        return;
                    }
                    Log.tell(
                            err,
                            "no report within " + Units.duration(time.toNanos())
                                    + " (--report-within sets how long it may take); " + RunOutputs.kept(spools));
                    exit.run();
                },
                "report deadline");
        thread.setDaemon(true);
        thread.start();
        return new ReportDeadline(thread);
    }

    /** Waits until the time is over or stopped. */
    void join() throws InterruptedException {
        thread.join();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
