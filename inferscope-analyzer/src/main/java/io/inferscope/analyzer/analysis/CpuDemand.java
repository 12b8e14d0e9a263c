package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.WaitReason;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Compares the number of threads of the judged process that were ready to run at once with the CPUs that the process
 * could use.
 *
 * <p>The window is divided into bins. In a crowded bin, the threads' ready time (on a CPU, or runnable without one)
 * exceeds the CPU time available:
 *
 * <pre>
 *   2 CPUs, a bin of 100 ms    ready        of it on a CPU
 *   judged thread                50 ms       25 ms      blocked on a futex for the other 50
 *   15 threads of a pool       1400 ms      175 ms
 * </pre>
 *
 * The judged thread's loss in the bin is its own runnable time, plus a share of its time blocked on a futex, in which
 * it waits for the pool. The share is the part of the other threads' ready time in which they had no CPU: 25 + 50 x
 * 1225 / 1400.
 *
 * @param cpus how many CPUs the process could use
 * @param threads how many of its threads were ready for at least a tenth of the crowded time
 * @param ready the average number of its threads that were ready at once in crowded time
 * @param crowdedNs the total time of crowded bins
 * @param lostNs the judged thread's estimated loss
 * @param nativeThreads whether most of those threads have no recorded stacks, like the pools of libraries
 */
public record CpuDemand(double cpus, int threads, double ready, long crowdedNs, long lostNs, boolean nativeThreads) {
    private static final long BIN_NS = 100_000_000L;
    private static final int MOST_BINS = 20_000;

    /**
     * Returns the demand in the window. A bin is crowded if its ready time exceeds {@code ratio} times the CPU time.
     * Empty if CPUs or states were not recorded.
     */
    public static Optional<CpuDemand> of(Analysis analysis, double ratio) {
        int process = analysis.subjectProcess();
        OptionalDouble cpus = Cpus.of(analysis.timeline(), process);
        return cpus.isEmpty() || !analysis.threadStatesRecorded()
                ? Optional.empty()
                : Optional.of(new Bins(analysis, process).demand(cpus.getAsDouble(), ratio));
    }

    /**
     * Returns the least time that the judged process needs for its CPU work of an interval on its CPUs, in ns; empty if
     * CPUs or states were not recorded. It limits gains: if one thread needs less waiting for a CPU, another one waits
     * instead.
     */
    public static OptionalLong leastNs(Analysis analysis, Stretch stretch) {
        int process = analysis.subjectProcess();
        OptionalDouble cpus = Cpus.of(analysis.timeline(), process);
        if (cpus.isEmpty() || !analysis.threadStatesRecorded()) {
            return OptionalLong.empty();
        }
        long onCpuNs = onCpuNs(analysis, stretch, thread -> thread.parent() == process);
        return OptionalLong.of(Math.round(onCpuNs / cpus.getAsDouble()));
    }

    /** Returns the part of the judged process's CPU time that threads beside the judged one take in an interval, 0 to 1. */
    public static double ofOthers(Analysis analysis, Stretch stretch) {
        int process = analysis.subjectProcess();
        long allNs = onCpuNs(analysis, stretch, thread -> thread.parent() == process);
        long ownNs = onCpuNs(analysis, stretch, thread -> thread.id() == analysis.subjectThread());
        return allNs == 0 ? 0 : (double) (allNs - ownNs) / allNs;
    }

    /**
     * Returns the CPU time of that thread of the judged process, beside the judged one, that has most of it, in ns: among
     * {@linkplain Threads#teamOf its team}, or among the others.
     */
    public static long ofBusiestNs(Analysis analysis, Stretch stretch, boolean inTeam) {
        int judged = analysis.subjectThread();
        Set<Integer> team = analysis.once(Team.class, a -> new Team(a.threads().teamOf(a.subjectThread())))
                .threads();
        return analysis.threads().all().stream()
                .filter(thread -> thread.parent() == analysis.subjectProcess()
                        && thread.id() != judged
                        && team.contains(thread.id()) == inTeam)
                .mapToLong(thread -> onCpuNs(analysis, stretch, one -> one.id() == thread.id()))
                .max()
                .orElse(0);
    }

    /** The judged thread's team, which many claims ask for: to find it, the thread's samples are read. */
    private record Team(Set<Integer> threads) {}

    private static long onCpuNs(Analysis analysis, Stretch stretch, Predicate<Track> counts) {
        return analysis.threads().all().stream()
                .filter(counts)
                .mapToLong(
                        thread -> analysis.threads().activity(thread.id()).onCpuNs(stretch.startNs(), stretch.endNs()))
                .sum();
    }

    /** Receives the part of a row's time that lies in a bin. */
    private interface BinSink {
        void add(int bin, double ns);
    }

    /** Times per bin of the window, each counter spread evenly over its row. */
    private static final class Bins {
        private final Analysis analysis;
        private final Timeline timeline;
        private final int process;
        private final long startNs;
        private final long endNs;
        private final long binNs;
        private final double[] others;
        private final double[] othersOnCpu;
        private final double[] own;
        private final double[] ownRunnable;
        private final double[] ownBlocked;

        Bins(Analysis analysis, int process) {
            this.analysis = analysis;
            this.timeline = analysis.timeline();
            this.process = process;
            Stretch window = analysis.window();
            startNs = window.startNs();
            endNs = window.endNs();
            binNs = Math.max(BIN_NS, window.durationNs() / MOST_BINS + 1);
            int count = (int) (window.durationNs() / binNs) + 1;
            others = new double[count];
            othersOnCpu = new double[count];
            own = new double[count];
            ownRunnable = new double[count];
            ownBlocked = new double[count];
            for (Track thread : analysis.threads().all()) {
                if (thread.parent() == process) {
                    add(thread.id());
                }
            }
        }

        private void add(int thread) {
            boolean judged = thread == analysis.subjectThread();
            boolean jvms = Threads.isJvms(timeline.tracks().get(thread));
            for (int row = timeline.firstRow(thread); row < timeline.endRow(thread); row++) {
                if (timeline.kind(row) == RowKind.THREAD_STATE && timeline.durationNs(row) > 0) {
                    double onCpu = Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS));
                    double runnable = Math.max(0, timeline.attribute(row, Attribute.RUNNABLE_NS));
                    if (judged) {
                        spread(row, own, onCpu + runnable);
                        spread(row, ownRunnable, runnable);
                        spread(row, ownBlocked, isAwaiting(row) ? timeline.durationNs(row) - onCpu - runnable : 0);
                    } else {
                        spread(row, others, onCpu + runnable);
                        spread(row, othersOnCpu, jvms ? onCpu + runnable : onCpu); // No thread waits for a JVM's own.
                    }
                }
            }
        }

        private boolean isAwaiting(int row) {
            return WaitReason.of(timeline, row) == WaitReason.FUTEX
                    && !analysis.classifier().idle().isIdle(row);
        }

        private void spread(int row, double[] bins, double ns) {
            spread(row, ns, (bin, partNs) -> bins[bin] += partNs);
        }

        private void spread(int row, double ns, BinSink sink) {
            long fromNs = Math.max(startNs, timeline.startNs(row));
            long toNs = Math.min(endNs, timeline.endNs(row));
            if (ns <= 0 || fromNs >= toNs) {
                return;
            }
            double density = ns / timeline.durationNs(row);
            for (long atNs = fromNs; atNs < toNs; ) {
                int bin = (int) ((atNs - startNs) / binNs);
                long nextNs = Math.min(toNs, startNs + (bin + 1) * binNs);
                sink.add(bin, density * (nextNs - atNs));
                atNs = nextNs;
            }
        }

        CpuDemand demand(double cpus, double ratio) {
            boolean[] crowded = new boolean[own.length];
            long crowdedNs = 0;
            double readyNs = 0;
            double lostNs = 0;
            for (int bin = 0; bin < own.length; bin++) {
                long lengthNs = Math.min(binNs, endNs - startNs - bin * binNs);
                if (lengthNs > 0 && own[bin] + others[bin] > ratio * cpus * lengthNs) {
                    crowded[bin] = true;
                    crowdedNs += lengthNs;
                    readyNs += own[bin] + others[bin];
                    double queued = others[bin] <= 0 ? 0 : 1 - othersOnCpu[bin] / others[bin];
                    lostNs += ownRunnable[bin] + ownBlocked[bin] * queued;
                }
            }
            int threads = 0;
            double nativeNs = 0;
            double othersNs = 0;
            for (Track thread : analysis.threads().all()) {
                if (thread.parent() == process && crowdedNs > 0) {
                    double ready = readyWithin(thread.id(), crowded);
                    threads += ready >= crowdedNs / 10.0 ? 1 : 0;
                    othersNs += thread.id() == analysis.subjectThread() ? 0 : ready;
                    nativeNs += analysis.threads().activity(thread.id()).recordedNs() > 0 ? 0 : ready;
                }
            }
            return new CpuDemand(
                    cpus,
                    threads,
                    crowdedNs == 0 ? 0 : readyNs / crowdedNs,
                    crowdedNs,
                    Math.round(lostNs),
                    2 * nativeNs > othersNs);
        }

        private double readyWithin(int thread, boolean[] crowded) {
            double total = 0;
            for (int row = timeline.firstRow(thread); row < timeline.endRow(thread); row++) {
                if (timeline.kind(row) == RowKind.THREAD_STATE && timeline.durationNs(row) > 0) {
                    double ready = (double) Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS))
                            + Math.max(0, timeline.attribute(row, Attribute.RUNNABLE_NS));
                    double[] inCrowded = {0};
                    spread(row, ready, (bin, ns) -> inCrowded[0] += crowded[bin] ? ns : 0);
                    total += inCrowded[0];
                }
            }
            return total;
        }
    }
}
