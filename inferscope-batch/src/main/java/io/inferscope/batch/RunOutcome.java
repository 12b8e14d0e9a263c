package io.inferscope.batch;

import io.inferscope.collectors.os.ChildProcess;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.text.ShellText;
import java.util.Map;

/**
 * The outcome of a run.
 *
 * @param exitClass the class of its outcome
 * @param reason the reason in one line, empty for a success
 */
record RunOutcome(ExitClass exitClass, String reason) {
    private static final int SIGKILL = 9;
    private static final double NS_PER_S = 1e9;

    /** Determines the class from how the process ended, and takes the reason from what the process reported. */
    static RunOutcome of(Worker.Ended ended, Map<String, ?> result, TraceOptions options) {
        String said = JsonValues.text(result, "reason");
        return switch (ended.reason()) {
            case TIMEOUT -> timeout(options.timeoutNs(), "stderr.txt", "--timeout");
            case MEMORY ->
                new RunOutcome(
                        ExitClass.OUT_OF_MEMORY,
                        "more than " + (options.memoryLimitBytes() >> 20) + " MiB in use; --memory-limit allows more");
            default -> ofEnd(ended, said);
        };
    }

    /**
     * Returns the outcome of a run that took too long. The reason names the file with its standard error and the option
     * that sets the limit.
     */
    static RunOutcome timeout(long limitNs, String error, String option) {
        return new RunOutcome(
                ExitClass.TIMEOUT,
                "not done after " + seconds(limitNs) + " s; what it was doing is in " + error + "; " + option
                        + " allows more time");
    }

    private static RunOutcome ofEnd(Worker.Ended ended, String said) {
        ChildProcess.End end = ended.end();
        if (end.bySignal() && end.code() == SIGKILL && ended.oomKills() > 0) {
            return new RunOutcome(
                    ExitClass.OUT_OF_MEMORY,
                    "ended by SIGKILL while the kernel ended processes for lack of memory; fewer --jobs leave more for each");
        }
        if (end.bySignal()) {
            String name = ShellText.signal(end.code());
            return new RunOutcome(ExitClass.CRASH, "ended by " + (name.isEmpty() ? "signal " + end.code() : name));
        }
        if (end.code() == 0) {
            return new RunOutcome(ExitClass.OK, "");
        }
        return new RunOutcome(
                ExitClass.ofExitCode(end.code()),
                said.isEmpty() ? "exit code " + end.code() + "; see stderr.txt" : said);
    }

    private static String seconds(long ns) {
        return java.math.BigDecimal.valueOf(Math.round(ns / NS_PER_S * 1e3))
                .movePointLeft(3)
                .stripTrailingZeros()
                .toPlainString();
    }
}
