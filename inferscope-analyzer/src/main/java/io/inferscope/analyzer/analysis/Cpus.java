package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.Timeline;
import java.util.OptionalDouble;

/** How many CPUs a process could use: its CPU affinity, limited by its control group. */
final class Cpus {
    private Cpus() {}

    /** Returns the number, which may be a fraction because of the control group; empty if it was not recorded. */
    static OptionalDouble of(Timeline timeline, int process) {
        double allowed = number(ProcessFact.CPUS.of(timeline, process));
        double limit = number(timeline.properties().getOrDefault("host.cgroup.cpu_limit_cores", ""));
        return Double.isNaN(allowed)
                ? OptionalDouble.empty()
                : OptionalDouble.of(Double.isNaN(limit) ? allowed : Math.min(allowed, limit));
    }

    private static double number(String text) {
        return text.matches("\\d{1,6}(\\.\\d{1,6})?") && Double.parseDouble(text) > 0
                ? Double.parseDouble(text)
                : Double.NaN;
    }
}
