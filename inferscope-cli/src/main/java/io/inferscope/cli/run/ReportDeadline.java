package io.inferscope.cli.run;

import io.inferscope.analyzer.model.Units;
import io.inferscope.cli.common.Log;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Ends {@code run} where the report takes too long: a caller that waits for the program's exit code must not wait for InferScope without an
 * end. What was recorded is kept.
 */
final class ReportDeadline implements AutoCloseable {
    /** A report takes a few seconds. No shorter time is set unless the user asks for it. */
    private static final Duration LEAST = Duration.ofMinutes(2);

    private final Thread thread;

    private ReportDeadline(Thread thread) {
        this.thread = thread;
    }

    /** Returns the time for a report unless the user sets one: as long as the program ran, and two minutes at least. */
    static Duration afterRunOf(long wallNs) {
        Duration ran = Duration.ofNanos(wallNs);
        return ran.compareTo(LEAST) > 0 ? ran : LEAST;
    }

    /**
     * Starts the time; closing this stops it.
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
                                    + " (--report-within sets how long it may take); what was recorded is kept: inferscope recover "
                                    + spools);
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
