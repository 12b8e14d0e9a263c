package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Reports threads that take turns rather than run side by side. */
final class ThreadContentionRule extends Rule {
    /** CPU time of each thread, and its waits for locks and the GIL, in ns by track. */
    private static final class Times {
        private final long[] onCpuNs;
        private final long[] heldUpNs;

        Times(Analysis analysis) {
            Timeline timeline = analysis.timeline();
            onCpuNs = new long[timeline.tracks().size()];
            heldUpNs = new long[onCpuNs.length];
            for (int row : analysis.rows(RowKind.THREAD_STATE)) {
                long ranNs = Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS));
                long readyNs = Math.max(0, timeline.attribute(row, Attribute.RUNNABLE_NS));
                WaitReason reason = WaitReason.of(timeline, row);
                onCpuNs[timeline.track(row)] += ranNs;
                if (reason == WaitReason.LOCK || reason == WaitReason.GIL) {
                    heldUpNs[timeline.track(row)] += Math.max(0, timeline.durationNs(row) - ranNs - readyNs);
                }
            }
        }

        /** Returns the threads that waited for locks or the GIL for at least {@code leastNs}, longest first. */
        List<Integer> heldUp(double leastNs) {
            return IntStream.range(0, heldUpNs.length)
                    .filter(track -> heldUpNs[track] > 0 && heldUpNs[track] >= leastNs)
                    .boxed()
                    .sorted(Order.comparingLong(track -> -heldUpNs[track])) // The first of equal ones stays first.
                    .toList();
        }

        long allOnCpuNs() {
            return Arrays.stream(onCpuNs).sum();
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = HostShare.window(analysis);
        Times times = new Times(analysis);
        List<Integer> threads = times.heldUp(limit(analysis, "thread-share") * ledger.durationNs());
        long heldUpNs = threads.stream().mapToLong(t -> times.heldUpNs[t]).sum();
        if (threads.size() < 2) {
            return Verdict.clean(threads.size() + " threads are held up by locks or the GIL for long");
        }
        double perCpu = (double) heldUpNs / Math.max(1, times.allOnCpuNs());
        if (perCpu < limit(analysis, "of-cpu")) {
            return Verdict.clean("threads are held up for " + Units.percent(perCpu) + " of the time in which they run");
        }
        return Verdict.found(finding(analysis, ledger, times, threads, heldUpNs));
    }

    private FindingBuilder finding(
            Analysis analysis, Ledger ledger, Times times, List<Integer> threads, long heldUpNs) {
        FindingBuilder finding = finding(ledger, Math.min(ledger.durationNs(), heldUpNs / threads.size()))
                .severity(Severity.INFO)
                .measure("count", Units.count(threads.size()))
                .measure("held up", Units.duration(heldUpNs))
                .measure("on cpu", Units.duration(times.allOnCpuNs()));
        threads.stream()
                .limit(4)
                .forEach(t -> finding.place(
                        "held up; it ran for " + Units.duration(times.onCpuNs[t]),
                        Threads.withProcess(analysis.timeline(), t),
                        times.heldUpNs[t],
                        1));
        return finding.advice(analysis)
                .noGainByItself("which of the threads the program waits for is in the other findings");
    }
}
