package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Pool threads of native libraries, such as OpenMP's and Rayon's: the threads of a process that run native code only.
 * No record shows that a thread inside an operator waits for them, but it has nothing else to wait for there:
 *
 * <pre>
 *   judged thread   [ linear RRRRRR bbbbbbbbbbbbbbbbbb ]   blocked on a futex inside the operator
 *   pool            .       RRRRRR qqqq RRRRRR qqqqqqqq     on a CPU, and ready without one
 *   blame                          qqqqq RRRRR qqqqqqq      of the time blocked, in proportion
 * </pre>
 *
 * At most the time in which the pool was on a CPU or ready for one explains a wait.
 */
final class NativePools {
    private final Timeline timeline;
    private final Threads threads;
    private final Map<Integer, List<ThreadActivity>> byProcess = new HashMap<>();

    NativePools(Timeline timeline, Threads threads) {
        this.timeline = timeline;
        this.threads = threads;
    }

    /**
     * Returns how long the pools of a thread's process were on CPUs in {@code [fromNs, toNs)}, in ns, summed over their
     * threads.
     */
    long onCpuNs(int thread, long fromNs, long toNs) {
        return of(thread).stream()
                .mapToLong(member -> member.onCpuNs(fromNs, toNs))
                .sum();
    }

    /** Returns how long they were ready without one, in ns, summed over their threads. */
    long runnableNs(int thread, long fromNs, long toNs) {
        return of(thread).stream()
                .mapToLong(member -> member.runnableNs(fromNs, toNs))
                .sum();
    }

    /**
     * Returns whether another thread of the process that runs code of its own, and is no pool, was on a CPU in
     * {@code [fromNs, toNs)}.
     */
    boolean othersRun(int thread, long fromNs, long toNs) {
        int process = timeline.tracks().get(thread).parent();
        return threads.all().stream()
                .filter(track -> track.parent() == process && track.id() != thread)
                .map(track -> threads.activity(track.id()))
                .anyMatch(other -> !other.isStateOnly() && other.onCpuNs(fromNs, toNs) > 0);
    }

    private List<ThreadActivity> of(int thread) {
        return byProcess.computeIfAbsent(
                timeline.tracks().get(thread).parent(),
                process -> threads.all().stream()
                        .filter(track -> track.parent() == process)
                        .map(track -> threads.activity(track.id()))
                        .filter(ThreadActivity::isStateOnly)
                        .toList());
    }
}
