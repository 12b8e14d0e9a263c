package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The threads in which libraries compute: those of a process that run native code alone, such as OpenMP's and Rayon's. No record says that a
 * thread inside an operator waits for them, but nothing else does it wait for there:
 *
 * <pre>
 *   judged thread   [ linear RRRRRR bbbbbbbbbbbbbbbbbb ]   blocked on a futex inside the operator
 *   pool            .       RRRRRR qqqq RRRRRR qqqqqqqq     on a CPU, and ready without one
 *   blame                          qqqqq RRRRR qqqqqqq      of the time blocked, in proportion
 * </pre>
 *
 * No more of a wait is explained than the pool was ready for.
 */
final class NativePools {
    private final Timeline timeline;
    private final Threads threads;
    private final Map<Integer, List<ThreadActivity>> byProcess = new HashMap<>();

    NativePools(Timeline timeline, Threads threads) {
        this.timeline = timeline;
        this.threads = threads;
    }

    /** Returns how long the pools of a thread's process were on CPUs in {@code [fromNs, toNs)}, in ns, summed over their threads. */
    long onCpuNs(int thread, long fromNs, long toNs) {
        long total = 0;
        for (ThreadActivity member : of(thread)) {
            total += member.onCpuNs(fromNs, toNs);
        }
        return total;
    }

    /** Returns how long they were ready without one, in ns, summed over their threads. */
    long runnableNs(int thread, long fromNs, long toNs) {
        long total = 0;
        for (ThreadActivity member : of(thread)) {
            total += member.runnableNs(fromNs, toNs);
        }
        return total;
    }

    private List<ThreadActivity> of(int thread) {
        return byProcess.computeIfAbsent(timeline.tracks().get(thread).parent(), process -> {
            List<ThreadActivity> found = new ArrayList<>();
            for (Track track : threads.all()) {
                if (track.parent() == process && threads.activity(track.id()).isStateOnly()) {
                    found.add(threads.activity(track.id()));
                }
            }
            return found;
        });
    }
}
