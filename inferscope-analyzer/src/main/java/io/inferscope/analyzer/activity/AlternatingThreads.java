package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.WaitDetail;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;

/**
 * Finds the threads of a process that work whenever another of its threads is blocked, and rest whenever that thread
 * runs. If no record shows what the blocked thread waits for, it waits for these threads:
 *
 * <pre>
 *   waiting thread   RRR bbbbb RRRR bb RRR bbbb RR      blocked, as counted in each state row
 *   others           . . RRRRR .  . RR .   RRRR .       on a CPU, or ready for one
 * </pre>
 *
 * <p>Counters alone decide, so that it holds for every language and every kind of queue, semaphore and condition. It
 * counts as proven if, over at least {@value #LEAST_ROWS} state rows, the others' CPU time is at most a third longer
 * than the time blocked, with their waits for a CPU it is at least three quarters of it, and their work changes with
 * the time blocked from row to row: the differences of adjacent rows, as shares of their lengths, correlate with at
 * least {@value #LEAST_CORRELATION}, and by more than {@value #LEAST_DEVIATIONS} standard deviations. Only threads
 * count whose own work correlates. Their work is taken together (they take over from each other), or in each row that
 * of the busiest one (a pool, whose longest piece of work is waited for).
 *
 * <p>A wait that only threads of the own process can end ({@link WaitDetail#ENDED_BY_OWN_PROCESS}) needs no such proof
 * if only one other thread of the process runs: that one ends it. Its work during the wait explains as much of the
 * wait.
 *
 * <p>Not accepted, because it looks the same:
 * <ul>
 *   <li>threads that compete for the GIL: they wait for it whenever the other one runs;
 *   <li>threads of one kind, by name, of which none is the main one: workers that take items from one queue in turns
 *       wait for items, not for each other;
 *   <li>three threads or more, each of which works while the others rest: such workers under different names. Threads
 *       that work at the same times are a pool: each rests while the waiting thread runs, and mostly that one does.
 * </ul>
 *
 * <p>The last two are accepted of threads that run goroutines: Go's scheduler moves these between its threads, so what
 * one of them runs while the judged one rests is the same program's next piece of work.
 */
final class AlternatingThreads implements WaitRoute {
    private static final int LEAST_ROWS = 40;
    private static final double LEAST_CORRELATION = 0.3;
    private static final double LEAST_DEVIATIONS = 4;
    /**
     * Neighbouring differences share a row, and correlate with -1/2. The variance of the correlation of two such series of
     * n unrelated differences is 1 + 2 (-1/2)^2 = 1.5, divided by n (Bartlett's formula).
     */
    private static final double OF_DIFFERENCES = 1.5;

    private static final double LEAST_RATIO = 0.75;
    private static final double MOST_RATIO = 1.33;

    /** Least correlation of a thread that may be waited for. */
    private static final double LEAST_OF_ONE = 0.15;

    /** A thread with a smaller share of the others' CPU time hardly runs, so nothing waits for it. */
    private static final double LEAST_PART = 0.05;

    /** Largest share of the thread's running time in which the others may wait for the GIL. */
    private static final double MOST_GIL = 0.25;

    /**
     * Waits are explained by the work around them, in stretches of this length: counters are read at different times,
     * and late by a tick of the scheduler.
     */
    private static final long STRETCH_NS = 50_000_000;

    /**
     * A thread that does not run later than this after its first run, such as a library's at its start, ends no later
     * wait.
     */
    private static final long START_NS = 100_000_000;

    private final Timeline timeline;
    private final Threads threads;
    private final ActivityClassifier classifier;

    /** By track. Activities of its own: a walk moves the cursors of those in {@link Threads} while it asks here. */
    private final Map<Integer, ThreadActivity> activities = new HashMap<>();

    /** By track: the threads it waits for. */
    private final Map<Integer, int[]> workers = new HashMap<>();

    /** By track: the only other thread of its process that runs, or none. */
    private final Map<Integer, int[]> onlyOthers = new HashMap<>();

    /** By track of a process: its threads that have run. */
    private final Map<Integer, List<Integer>> running = new HashMap<>();

    /** By track of a process: those that also ran later than at their start. */
    private final Map<Integer, List<Integer>> longRunning = new HashMap<>();

    /** By track: its CPU time, ns. */
    private final Map<Integer, Long> onCpuNs = new HashMap<>();

    private int[] lastBy = {};
    private Stretch last = new Stretch(-1, 0, 0, 0, 0, List.of());

    /** An interval of a thread: a copy of a {@link ThreadPiece}. */
    record Work(int thread, int row, int sample, LedgerClass ledgerClass, AmountBasis basis, long ns) {
        boolean isSeenRunning() {
            return sample >= 0 && ledgerClass != LedgerClass.UNATTRIBUTED && !ledgerClass.isWaiting();
        }

        Work of(long otherNs) {
            return new Work(thread, row, sample, ledgerClass, basis, otherNs);
        }
    }

    /**
     * Work around a wait.
     *
     * @param blockedNs how long the waiting thread was blocked meanwhile, in ns
     * @param workedNs the sum of the work, in ns
     */
    record Stretch(int thread, long fromNs, long toNs, long blockedNs, long workedNs, List<Work> works) {
        /** Returns how much of a wait in it the work explains, in ns. */
        long explainsNs(long waitNs) {
            return blockedNs <= workedNs ? waitNs : (long) ((double) waitNs * workedNs / blockedNs);
        }
    }

    AlternatingThreads(Timeline timeline, Threads threads, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.threads = threads;
        this.classifier = classifier;
    }

    @Override
    public boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to) {
        int[] found = workers.computeIfAbsent(waiting.thread(), this::find);
        if (found.length == 0 && isEndedByOwnProcess(waiting.stateRow())) {
            found = onlyOthers.computeIfAbsent(waiting.thread(), this::onlyOther);
        }
        return walk.toWork(waiting, found, to);
    }

    private boolean isEndedByOwnProcess(int stateRow) {
        return stateRow >= 0 && WaitDetail.ENDED_BY_OWN_PROCESS.isOf(timeline, stateRow);
    }

    private int[] onlyOther(int thread) {
        int[] running = longRunning
                .computeIfAbsent(timeline.tracks().get(thread).parent(), this::longRunning)
                .stream()
                .mapToInt(Integer::intValue)
                .filter(other -> other != thread)
                .limit(2)
                .toArray();
        return running.length == 1 ? running : new int[0];
    }

    private List<Integer> longRunning(int process) {
        return running(process).stream().filter(this::runsAfterItsStart).toList();
    }

    private boolean runsAfterItsStart(int track) {
        int[] runs = timeline.rows(track, RowKind.THREAD_STATE)
                .filter(row -> timeline.attribute(row, Attribute.ON_CPU_NS) > 0)
                .toArray();
        return runs.length > 0 && timeline.startNs(runs[runs.length - 1]) - timeline.startNs(runs[0]) > START_NS;
    }

    /** Returns what some threads do around a wait. */
    Stretch around(ThreadPiece waiting, int[] by) {
        int thread = waiting.thread();
        long middleNs = waiting.fromNs() + (waiting.toNs() - waiting.fromNs()) / 2;
        boolean isLong = waiting.toNs() - waiting.fromNs() >= STRETCH_NS;
        long fromNs = isLong ? waiting.fromNs() : middleNs - Math.floorMod(middleNs, STRETCH_NS);
        long toNs = isLong ? waiting.toNs() : fromNs + STRETCH_NS;
        if (last.thread != thread || last.fromNs != fromNs || last.toNs != toNs || lastBy != by) {
            lastBy = by;
            last = by.length == 0 ? new Stretch(thread, fromNs, toNs, 0, 0, List.of()) : read(thread, by, fromNs, toNs);
        }
        return last;
    }

    private Stretch read(int thread, int[] found, long fromNs, long toNs) {
        List<Work> works = new ArrayList<>();
        for (int worker : found) {
            List<Work> ofOne = new ArrayList<>();
            activity(worker).cover(fromNs, toNs, piece -> {
                if (piece.state() == ThreadState.RUNNING || piece.state() == ThreadState.RUNNABLE) {
                    ofOne.add(new Work(
                            piece.thread(),
                            piece.row(),
                            piece.sample(),
                            piece.ledgerClass(),
                            piece.basis(),
                            piece.ns()));
                }
            });
            works.addAll(withoutUnknown(ofOne));
        }
        long workedNs = works.stream().mapToLong(Work::ns).sum();
        return new Stretch(thread, fromNs, toNs, activity(thread).blockedNs(fromNs, toNs), workedNs, works);
    }

    /**
     * What was seen of a thread in a stretch stands for all of its time on a CPU in it: when it had the CPU is not known,
     * and a thread that calls Python now and then has a stack only while it does.
     */
    private static List<Work> withoutUnknown(List<Work> works) {
        long unknownNs = 0;
        long seenNs = 0;
        for (Work work : works) {
            unknownNs += work.ledgerClass() == LedgerClass.UNATTRIBUTED ? work.ns() : 0;
            seenNs += work.isSeenRunning() ? work.ns() : 0;
        }
        if (unknownNs == 0 || seenNs == 0) {
            return works;
        }
        List<Work> known = new ArrayList<>();
        long givenNs = 0;
        long beforeNs = 0;
        for (Work work : works) {
            if (work.isSeenRunning()) {
                beforeNs += work.ns();
                long untilNs = ThreadStates.shareOfFirst(beforeNs, seenNs + unknownNs, seenNs);
                known.add(work.of(untilNs - givenNs));
                givenNs = untilNs;
            } else if (work.ledgerClass() != LedgerClass.UNATTRIBUTED) {
                known.add(work);
            }
        }
        return known;
    }

    private ThreadActivity activity(int track) {
        return activities.computeIfAbsent(track, t -> new ThreadActivity(timeline, t, classifier));
    }

    private int[] find(int thread) {
        if (!hasRows(thread)) {
            return new int[0]; // There may be thousands of such threads, one for each request.
        }
        List<Integer> all =
                running.computeIfAbsent(timeline.tracks().get(thread).parent(), this::running);
        long othersNs = all.stream()
                .filter(other -> other != thread)
                .mapToLong(this::onCpuNs)
                .sum();
        int[] busy = all.stream()
                .mapToInt(Integer::intValue)
                .filter(other -> other != thread && onCpuNs(other) >= othersNs * LEAST_PART)
                .toArray();
        Rows rows = new Rows(thread, busy);
        int[] found = rows.correlated();
        boolean isProven = found.length > 0
                && new Rows(thread, found).alternate()
                && (runsGoroutines(thread)
                        || !(areAlike(thread, found)
                                || (takeTurns(thread, found) && !new Rows(thread, found).workTogether())))
                && !competeForTheGil(thread, found);
        return isProven ? found : new int[0];
    }

    /** Returns whether a thread has enough state rows for a proof. */
    private boolean hasRows(int thread) {
        return timeline.rows(thread, RowKind.THREAD_STATE).limit(LEAST_ROWS).count() == LEAST_ROWS;
    }

    /** Returns the threads of a process that have run. */
    private List<Integer> running(int process) {
        return threads.all().stream()
                .filter(track -> track.parent() == process && onCpuNs(track.id()) > 0)
                .map(Track::id)
                .toList();
    }

    private long onCpuNs(int track) {
        return onCpuNs.computeIfAbsent(
                track, t -> Math.max(0, threads.activity(t).stateTotalNs(Attribute.ON_CPU_NS))); // Sums move no cursor.
    }

    /**
     * Whether the names of a thread and of those that it may wait for differ in numbers only, and none is the main
     * thread.
     */
    boolean areAlike(int thread, int[] found) {
        String kind = kind(thread);
        return !isMain(thread)
                && Arrays.stream(found)
                        .allMatch(other -> !isMain(other) && kind(other).equals(kind));
    }

    private boolean runsGoroutines(int thread) {
        return timeline.rows(thread, RowKind.STACK_SAMPLE).anyMatch(classifier::showsGoroutine);
    }

    private String kind(int thread) {
        return timeline.tracks().get(thread).name().replaceAll("\\d+", "");
    }

    private boolean isMain(int thread) {
        Track track = timeline.tracks().get(thread);
        return track.key().equals(timeline.tracks().get(track.parent()).key());
    }

    /** Whether at least two of the found threads each work while the others and {@code thread} rest. */
    private boolean takeTurns(int thread, int[] found) {
        int turns = 0;
        for (int i = 0; i < found.length && found.length > 1; i++) {
            int[] rest = found.clone();
            rest[i] = thread;
            turns += new Rows(found[i], rest).alternateExactly() ? 1 : 0;
        }
        return turns > 1;
    }

    private boolean competeForTheGil(int thread, int[] found) {
        long[] waitedNs = new long[1];
        for (int other : found) {
            int first = timeline.firstRow(other);
            long fromNs = timeline.startNs(first);
            activity(other).cover(fromNs, endNs(other), piece -> {}, piece -> {
                waitedNs[0] += piece.ledgerClass() == LedgerClass.WAIT_GIL ? piece.ns() : 0;
            });
        }
        return waitedNs[0] > MOST_GIL * onCpuNs(thread);
    }

    private long endNs(int track) {
        return timeline.rows(track).mapToLong(timeline::endNs).reduce(0, Math::max);
    }

    /**
     * A thread's state rows, from where others begin to work: how long it was blocked in each, and what others worked.
     */
    private final class Rows {
        private final int[] others;
        private final double[] blocked;
        private final double[][] worked;
        private final double[][] onCpu;
        private final double[] lengths;

        Rows(int thread, int[] others) {
            this.others = others;
            ThreadActivity own = activity(thread);
            int count = timeline.endRow(thread) - timeline.firstRow(thread);
            double[] blockedNs = new double[count];
            double[] lengthsNs = new double[count];
            double[][] workedNs = new double[others.length][count];
            double[][] onCpuNs = new double[others.length][count];
            int rows = 0;
            for (int row = timeline.firstRow(thread); row < timeline.endRow(thread); row++) {
                long fromNs = timeline.startNs(row);
                long toNs = timeline.endNs(row);
                if (timeline.kind(row) == RowKind.THREAD_STATE && toNs > fromNs) {
                    double all = 0;
                    for (int i = 0; i < others.length; i++) {
                        ThreadActivity other = activity(others[i]);
                        onCpuNs[i][rows] = other.onCpuNs(fromNs, toNs);
                        workedNs[i][rows] = onCpuNs[i][rows] + other.runnableNs(fromNs, toNs);
                        all += workedNs[i][rows];
                    }
                    blockedNs[rows] = own.blockedNs(fromNs, toNs);
                    lengthsNs[rows] = toNs - fromNs;
                    rows += rows > 0 || all > 0 ? 1 : 0;
                }
            }
            blocked = Arrays.copyOf(blockedNs, rows);
            lengths = Arrays.copyOf(lengthsNs, rows);
            worked = new double[others.length][];
            onCpu = new double[others.length][];
            for (int i = 0; i < others.length; i++) {
                worked[i] = Arrays.copyOf(workedNs[i], rows);
                onCpu[i] = Arrays.copyOf(onCpuNs[i], rows);
            }
        }

        /** Returns the threads whose own work correlates. */
        int[] correlated() {
            return IntStream.range(0, others.length)
                    .filter(i -> isCorrelated(worked[i], LEAST_OF_ONE))
                    .map(i -> others[i])
                    .toArray();
        }

        boolean alternate() {
            return alternateTogether() || holds(combined(worked, Math::max), combined(onCpu, Math::max));
        }

        /** Returns whether each of the others works at the times at which the rest of them do. */
        boolean workTogether() {
            double[] all = combined(worked, Double::sum);
            for (double[] one : worked) {
                double[] rest = all.clone();
                Arrays.setAll(rest, row -> rest[row] - one[row]);
                if (!areCorrelated(one, rest, LEAST_CORRELATION)) {
                    return false;
                }
            }
            return worked.length > 1;
        }

        boolean alternateTogether() {
            return holds(combined(worked, Double::sum), combined(onCpu, Double::sum));
        }

        /** The same without allowance for waits for a CPU: beside other programs, pools would look like turns. */
        boolean alternateExactly() {
            double[] works = combined(worked, Double::sum);
            return holds(works, works);
        }

        private double[] combined(double[][] ofThreads, DoubleBinaryOperator with) {
            double[] all = new double[blocked.length];
            for (double[] one : ofThreads) {
                Arrays.setAll(all, row -> with.applyAsDouble(all[row], one[row]));
            }
            return all;
        }

        private boolean holds(double[] works, double[] cpu) {
            double allBlocked = Arrays.stream(blocked).sum();
            return Arrays.stream(works).sum() >= LEAST_RATIO * allBlocked
                    && Arrays.stream(cpu).sum() <= MOST_RATIO * allBlocked
                    && isCorrelated(works, LEAST_CORRELATION);
        }

        private boolean isCorrelated(double[] works, double least) {
            return areCorrelated(blocked, works, least);
        }

        private boolean areCorrelated(double[] first, double[] second, double least) {
            int n = first.length - 1;
            double sumX = 0;
            double sumY = 0;
            double sumXx = 0;
            double sumXy = 0;
            double sumYy = 0;
            for (int row = 1; row <= n; row++) {
                double x = first[row] / lengths[row] - first[row - 1] / lengths[row - 1];
                double y = second[row] / lengths[row] - second[row - 1] / lengths[row - 1];
                sumX += x;
                sumY += y;
                sumXx += x * x;
                sumXy += x * y;
                sumYy += y * y;
            }
            double spread = (sumXx - sumX * sumX / n) * (sumYy - sumY * sumY / n);
            double correlation = spread > 0 ? (sumXy - sumX * sumY / n) / Math.sqrt(spread) : 0;
            return n >= LEAST_ROWS
                    && correlation >= least
                    && correlation * Math.sqrt(n / OF_DIFFERENCES) >= LEAST_DEVIATIONS;
        }
    }
}
