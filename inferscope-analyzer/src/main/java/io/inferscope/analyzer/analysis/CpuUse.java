package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Who used the machine's CPUs in a part of a recording, in CPUs on average. Threads are counted by their schedstat, the
 * machine by {@code /proc/stat}; other programs are the difference, InferScope itself included.
 *
 * @param cpus how many CPUs the judged process may use, not a number if that is not known
 * @param thread used by the judged threads
 * @param threads by the other threads of their process
 * @param processes by the other recorded processes
 * @param others by other programs, not a number if the machine's counts are not recorded
 * @param limit taken away by the CPU limit of the control group
 */
public record CpuUse(double cpus, double thread, double threads, double processes, double others, double limit) {
    /** A user of fewer CPUs is left out. */
    private static final double WORTH_SAYING = 0.05;

    /** The part of the CPUs that is as good as all of them: the last ticks are never used. */
    private static final double BUSY = 0.85;

    private record User(String words, double cpus) {}

    /** Returns the use of the CPUs in the judged part. */
    public static CpuUse of(Analysis analysis) {
        return analysis.once(CpuUse.class, CpuUse::find);
    }

    private static CpuUse find(Analysis analysis) {
        Stretch part = analysis.judgedHostStretch();
        double lengthNs = Math.max(1, part.durationNs());
        double threadNs = 0;
        double threadsNs = 0;
        double processesNs = 0;
        for (Track track : analysis.threads().all()) {
            long ns = analysis.threads().onCpuNs(track.id(), part.startNs(), part.endNs());
            if (analysis.isJudged(track.id())) {
                threadNs += ns;
            } else if (track.parent() == analysis.subjectProcess()) {
                threadsNs += ns;
            } else {
                processesNs += ns;
            }
        }
        OptionalDouble busyNs = grown(analysis, "host.cpu_busy_ns", part);
        double knownNs = threadNs + threadsNs + processesNs;
        return new CpuUse(
                Cpus.of(analysis.timeline(), analysis.subjectProcess()).orElse(Double.NaN),
                threadNs / lengthNs,
                threadsNs / lengthNs,
                processesNs / lengthNs,
                busyNs.isPresent() ? Math.max(0, busyNs.getAsDouble() - knownNs) / lengthNs : Double.NaN,
                grown(analysis, "host.cgroup_throttled_ns", part).orElse(0) / lengthNs);
    }

    /** Returns by how much a counter grew in a part, at the rate between its readings there; empty if it has less than two. */
    private static OptionalDouble grown(Analysis analysis, String counter, Stretch part) {
        Optional<Counters.Series> series = analysis.counters().first(counter).filter(found -> found.size() > 1);
        if (series.isEmpty()) {
            return OptionalDouble.empty();
        }
        Counters.Series read = series.get();
        long fromNs = Math.max(part.startNs(), read.timeNs(0)); // What was cut out has no readings at its ends.
        long toNs = Math.min(part.endNs(), read.timeNs(read.size() - 1));
        return toNs <= fromNs
                ? OptionalDouble.empty()
                : OptionalDouble.of((read.between(toNs) - read.between(fromNs)) * part.durationNs() / (toNs - fromNs));
    }

    /** Returns whether all CPUs that the process may use, or nearly all, were busy. */
    public boolean isBusy() {
        return thread + threads + processes + (Double.isNaN(others) ? 0 : others) >= BUSY * cpus;
    }

    /** Returns whether other programs used more of the CPUs than the judged program's other threads and processes. */
    public boolean isOthers() {
        return others > threads + processes;
    }

    /** Returns the users of CPUs in words, the largest first: {@code 1.71 by other programs, 0.10 by this thread}. */
    public String words() {
        List<User> users = new ArrayList<>(List.of(
                new User("by the judged threads", thread),
                new User("by other threads of their process", threads),
                new User("by its other processes", processes),
                new User("by other programs", Double.isNaN(others) ? 0 : others)));
        users.sort((a, b) -> Double.compare(b.cpus, a.cpus));
        return users.stream()
                .filter(user -> user.cpus >= WORTH_SAYING)
                .map(user -> Units.fixed(user.cpus, 2) + ' ' + user.words)
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
    }
}
