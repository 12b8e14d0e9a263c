package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which threads of a process work whenever one of its threads is blocked, and rest whenever that one runs. Where no record says whom a thread waits
 * for, it waits for them:
 *
 * <pre>
 *   waiting thread   RRR bbbbb RRRR bb RRR bbbb RR      blocked, as counted in each state row
 *   others           . . RRRRR .  . RR .   RRRR .       on a CPU, or ready for one
 * </pre>
 *
 * <p>Counters alone decide, so that it holds for every language and every kind of queue, semaphore and condition. Taken as proven if, over at least
 * {@value #LEAST_ROWS} state rows, the others' work amounts to the time blocked to within a quarter, and grows and shrinks with it from row to row:
 * the differences of adjacent rows, as shares of their lengths, correlate with at least {@value #LEAST_CORRELATION}, and by more than
 * {@value #LEAST_DEVIATIONS} standard deviations. Threads that work beside each other by chance have no correlation. Threads that compete for the
 * GIL do; they wait for it whenever the other one runs, so such a wait refutes.
 *
 * <p>The work is that of all others together (a chain), or that of the one that is busiest in a row (a pool, whose longest piece of work is waited
 * for).
 */
final class Alternation {
    private static final int LEAST_ROWS = 40;
    private static final double LEAST_CORRELATION = 0.3;
    private static final double LEAST_DEVIATIONS = 4;
    private static final double LEAST_RATIO = 0.75;
    private static final double MOST_RATIO = 1.33;

    /** Most of the time in which the thread runs that the others may wait for the GIL. */
    private static final double MOST_GIL = 0.25;

    /** How far around a wait the others' work is looked for: counters are read at different times, and late by a tick of the scheduler. */
    private static final long AROUND_NS = 25_000_000;

    private final Timeline timeline;
    private final Threads threads;
    private final ActivityClassifier classifier;

    /** By track. Not those of {@link Threads}, whose cursors a walk is moving while it asks here. */
    private final Map<Integer, ThreadActivity> activities = new HashMap<>();

    private final Map<Integer, List<ThreadActivity>> others = new HashMap<>();

    Alternation(Timeline timeline, Threads threads, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.threads = threads;
        this.classifier = classifier;
    }

    private ThreadActivity activity(int track) {
        return activities.computeIfAbsent(track, t -> new ThreadActivity(timeline, t, classifier));
    }

    /** Returns the threads that work whenever {@code thread} is blocked; none if nothing proves any. */
    List<ThreadActivity> workers(int thread) {
        List<ThreadActivity> known = others.get(thread);
        if (known == null) {
            known = find(thread);
            others.put(thread, known);
        }
        return known;
    }

    /** Visits the work of the threads around a wait, and returns how much it is, in ns. */
    static long work(List<ThreadActivity> workers, Piece waiting, ThreadActivity.Sink sink) {
        long foundNs = work(workers, waiting.fromNs(), waiting.toNs(), piece -> {});
        long aroundNs = foundNs < waiting.ns() ? AROUND_NS : 0;
        return work(workers, waiting.fromNs() - aroundNs, waiting.toNs() + aroundNs, sink);
    }

    private static long work(List<ThreadActivity> workers, long fromNs, long toNs, ThreadActivity.Sink sink) {
        long[] total = new long[1];
        for (ThreadActivity worker : workers) {
            worker.cover(fromNs, toNs, piece -> {
                if (isWork(piece.ledgerClass())) {
                    total[0] += piece.ns();
                    sink.take(piece);
                }
            });
        }
        return total[0];
    }

    private static boolean isWork(LedgerClass did) {
        return did == LedgerClass.WAIT_RUN_QUEUE || (!did.isWaiting() && did != LedgerClass.UNATTRIBUTED);
    }

    private List<ThreadActivity> find(int thread) {
        List<ThreadActivity> found = new ArrayList<>();
        int process = timeline.tracks().get(thread).parent();
        for (Track track : threads.all()) {
            if (track.parent() == process
                    && track.id() != thread
                    && activity(track.id()).hasStates()) {
                found.add(activity(track.id()));
            }
        }
        return !found.isEmpty() && alternates(thread, found) ? found : List.of();
    }

    private boolean alternates(int thread, List<ThreadActivity> all) {
        ThreadActivity own = activity(thread);
        Comparison together = new Comparison();
        Comparison busiest = new Comparison();
        long firstNs = Long.MAX_VALUE;
        long lastNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(thread); row < timeline.endRow(thread); row++) {
            long fromNs = timeline.startNs(row);
            long toNs = timeline.endNs(row);
            if (timeline.kind(row) != RowKind.THREAD_STATE || toNs <= fromNs) {
                continue;
            }
            long sumNs = 0;
            long mostNs = 0;
            for (ThreadActivity other : all) {
                long ns = other.onCpuNs(fromNs, toNs) + other.runnableNs(fromNs, toNs);
                sumNs += ns;
                mostNs = Math.max(mostNs, ns);
            }
            if (sumNs > 0) {
                firstNs = Math.min(firstNs, fromNs);
                lastNs = toNs;
            }
            if (firstNs < Long.MAX_VALUE) {
                long blockedNs = own.blockedNs(fromNs, toNs);
                together.add(blockedNs, sumNs, toNs - fromNs);
                busiest.add(blockedNs, mostNs, toNs - fromNs);
            }
        }
        return (together.holds() || busiest.holds()) && !competeForTheGil(own, all, firstNs, lastNs);
    }

    private static boolean competeForTheGil(ThreadActivity own, List<ThreadActivity> all, long fromNs, long toNs) {
        long[] waitedNs = new long[1];
        for (ThreadActivity other : all) {
            other.cover(
                    fromNs, toNs, piece -> waitedNs[0] += piece.ledgerClass() == LedgerClass.WAIT_GIL ? piece.ns() : 0);
        }
        return waitedNs[0] > MOST_GIL * own.onCpuNs(fromNs, toNs);
    }

    /** Compares a thread's time blocked with the others' work, row by row. */
    private static final class Comparison {
        private double blockedNs;
        private double workedNs;
        private double lastBlocked;
        private double lastWorked;
        private int rows;
        private double sumX;
        private double sumY;
        private double sumXx;
        private double sumXy;
        private double sumYy;

        void add(long blocked, long worked, long length) {
            double share = (double) blocked / length;
            double work = (double) worked / length;
            blockedNs += blocked;
            workedNs += worked;
            if (rows > 0) {
                double x = share - lastBlocked;
                double y = work - lastWorked;
                sumX += x;
                sumY += y;
                sumXx += x * x;
                sumXy += x * y;
                sumYy += y * y;
            }
            lastBlocked = share;
            lastWorked = work;
            rows++;
        }

        boolean holds() {
            int n = rows - 1;
            double spread = (sumXx - sumX * sumX / n) * (sumYy - sumY * sumY / n);
            if (rows < LEAST_ROWS || spread <= 0 || blockedNs <= 0) {
                return false;
            }
            double correlation = (sumXy - sumX * sumY / n) / Math.sqrt(spread);
            double ratio = workedNs / blockedNs;
            return ratio >= LEAST_RATIO
                    && ratio <= MOST_RATIO
                    && correlation >= LEAST_CORRELATION
                    && correlation * Math.sqrt(n) >= LEAST_DEVIATIONS;
        }
    }
}
