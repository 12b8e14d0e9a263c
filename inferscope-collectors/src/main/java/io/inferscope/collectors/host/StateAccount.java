package io.inferscope.collectors.host;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * Turns readings of one thread's counters into intervals whose sums are exactly what the kernel counted.
 *
 * <p>The kernel brings a running thread's counters up to date at scheduler ticks (some 4 ms apart) and at switches, so a reading
 * lags behind. Credited as read, a busy thread would seem to be blocked in one interval and to run longer than the next:
 *
 * <pre>
 *   truth      RRRRRRRRRR RRRRRRRRRR RRRRR.....
 *   read       RRRRRRR... RRRRRRRRRRRR (more than the interval is long)
 *   credited   RRRRRRRRRR RRRRRRRRRR RRRRR.....
 * </pre>
 *
 * A thread that was running at both ends and was not switched meanwhile is credited with the whole interval, and owes what was not
 * yet counted; later readings pay it back, or show that it was waiting rather than running. One that blocked in the interval and runs
 * at its end is credited with what counts lag behind on average: else each of its waits would seem to begin earlier, in what it did
 * before, and to end sooner. What is read too late, as a wait for a
 * CPU is that the kernel counts when it is over, goes back into the intervals before, where it belongs: they are kept for
 * {@link #KEPT_NS}. At any time {@code 0 <= onCpu + runnable <= length}; what can be placed nowhere is in {@link #unplacedNs}.
 */
final class StateAccount {
    /** A state is stored at the latest after this time and {@link #KEPT_NS}, so that killing InferScope loses little. */
    private static final long MAX_MERGED_NS = 1_000_000_000L;

    /** How long intervals can still be put right. On a CPU that many share, a thread waits for tenths of a second. */
    private static final long KEPT_NS = 500_000_000L;

    /** No more intervals than these are kept: perf events may cut them far shorter than readings do. */
    private static final int MAX_KEPT = 128;

    /** Ns that are taken for zero when intervals of one pure state are merged. */
    private static final int IMPURITY_DIVISOR = 50;

    /** One reading of a thread. */
    record Reading(
            long timeNs,
            long cpuNs,
            long runnableNs,
            long switches,
            boolean running,
            WaitCause cause,
            IntervalCounts events) {}

    /** A stretch in which the thread behaved alike. Mutable while it is the last one. */
    static final class Interval {
        long startNs;
        long endNs;
        long onCpuNs;
        long runnableNs;
        IntervalCounts events = IntervalCounts.NONE;
        WaitCause cause = WaitCause.UNKNOWN;

        long roomNs() {
            return endNs - startNs - onCpuNs - runnableNs;
        }
    }

    /** How far counts of running threads lag behind: between two ticks, so half of that on average. The tick is learned from threads that run on. */
    static final class Lag {
        /** The kernel's CONFIG_HZ is 1000, 300, 250 or 100. */
        private static final long[] TICKS_NS = {1_000_000, 3_333_333, 4_000_000, 10_000_000};

        private static final int ENOUGH = 8;

        /** One in so many may be longer than the tick: whoever reads the counters is held up at times. */
        private static final int OUTLIERS = 50;

        private long seen;
        private final long[] longer = new long[TICKS_NS.length];

        /** A thread ran all of an interval: what was counted is longer when the count lagged behind at its begin, by less than a tick. */
        private void ranThroughout(long countedNs, long lengthNs) {
            seen++;
            for (int i = 0; i < TICKS_NS.length; i++) {
                longer[i] += countedNs - lengthNs > TICKS_NS[i] ? 1 : 0;
            }
        }

        private long meanNs() {
            for (int i = 0; i < TICKS_NS.length && seen >= ENOUGH; i++) {
                if (longer[i] * OUTLIERS <= seen) {
                    return TICKS_NS[i] / 2;
                }
            }
            return 0;
        }
    }

    private final Lag lag;
    private final Consumer<Interval> sink;
    private final Counter cpu = new CpuCounter();
    private final Counter runnable = new RunnableCounter();
    private final ArrayDeque<Interval> kept = new ArrayDeque<>();
    private long readNs;
    private long switches = -1;
    private boolean wasRunning;
    private boolean wasPiece;

    /** What was read of one counter, what was credited too early, and what could not be credited yet. */
    private abstract static class Counter {
        long readTotal;
        long aheadNs;
        long behindNs;

        abstract long in(Interval interval);

        abstract void credit(Interval interval, long ns);

        long take(long total) {
            long newNs = total - readTotal + behindNs - aheadNs;
            readTotal = total;
            behindNs = 0;
            aheadNs = Math.max(0, -newNs);
            return Math.max(0, newNs);
        }
    }

    private static final class CpuCounter extends Counter {
        @Override
        long in(Interval interval) {
            return interval.onCpuNs;
        }

        @Override
        void credit(Interval interval, long ns) {
            interval.onCpuNs += ns;
        }
    }

    private static final class RunnableCounter extends Counter {
        @Override
        long in(Interval interval) {
            return interval.runnableNs;
        }

        @Override
        void credit(Interval interval, long ns) {
            interval.runnableNs += ns;
        }
    }

    /** Starts at a moment when the counters showed the given totals; what is learned of the kernel's lag is of all threads. */
    StateAccount(Lag lag, long startNs, long cpuNs, long runnableNs, Consumer<Interval> sink) {
        this.lag = lag;
        this.sink = sink;
        readNs = startNs;
        cpu.readTotal = cpuNs;
        runnable.readTotal = runnableNs;
    }

    /** Returns when the last reading was. */
    long readNs() {
        return readNs;
    }

    /** Returns the CPU time that was credited so far, in ns: what was read, and what the kernel had not counted yet. */
    long creditedCpuNs() {
        return cpu.readTotal + cpu.aheadNs;
    }

    /** Returns the time spent runnable that was credited so far, in ns. */
    long creditedRunnableNs() {
        return runnable.readTotal + runnable.aheadNs;
    }

    /** Adds a reading; earlier ones than the last are ignored. */
    void add(Reading reading) {
        add(reading, false);
    }

    /** Adds a piece of an interval, with what the kernel recorded of it: it ends with a switch, so that nothing of it is counted later. */
    void addPiece(Reading piece) {
        add(piece, true);
    }

    private void add(Reading reading, boolean isPiece) {
        long lengthNs = reading.timeNs() - readNs;
        if (lengthNs <= 0) {
            return;
        }
        boolean advanced = reading.cpuNs() > cpu.readTotal;
        boolean ranOn = !isPiece && reading.running() && wasRunning && reading.switches() == switches;
        if (ranOn && !wasPiece) {
            lag.ranThroughout(reading.cpuNs() - cpu.readTotal, lengthNs);
        }
        long cpuNs = cpu.take(reading.cpuNs());
        long waitNs = runnable.take(reading.runnableNs());
        if (!reading.running()) { // A thread that has blocked has been counted to the end.
            takeBack(cpu);
            takeBack(runnable);
        }
        waitNs -= replace(cpu, runnable, waitNs);
        Interval next = new Interval();
        next.startNs = readNs;
        next.endNs = reading.timeNs();
        next.onCpuNs = Math.min(cpuNs, lengthNs);
        next.runnableNs = Math.min(waitNs, lengthNs - next.onCpuNs);
        cpu.behindNs = placeBefore(cpu, runnable, cpuNs - next.onCpuNs);
        runnable.behindNs = placeBefore(runnable, cpu, waitNs - next.runnableNs);
        if (ranOn) {
            fill(next, advanced);
        } else if (reading.running() && !isPiece) {
            ahead(cpu, next, Math.min(next.roomNs(), Math.max(0, lag.meanNs() - cpu.aheadNs)));
        }
        next.cause = reading.cause();
        next.events = reading.events();
        readNs = reading.timeNs();
        switches = reading.switches();
        wasRunning = reading.running();
        wasPiece = isPiece;
        append(next);
    }

    /** Adds what was counted since the last reading but read only after it. */
    void addLate(IntervalCounts events) {
        Interval last = kept.peekLast();
        if (last != null) {
            last.events = last.events.plus(events);
        }
    }

    /** What was taken for the one, and is now counted as the other, is put right. Returns how much that is, {@code ns} at most. */
    private long replace(Counter wrong, Counter right, long ns) {
        long leftNs = Math.min(wrong.aheadNs, ns);
        if (leftNs <= 0) {
            return 0;
        }
        long replacedNs = 0;
        for (Iterator<Interval> newestFirst = kept.descendingIterator(); leftNs > 0 && newestFirst.hasNext(); ) {
            Interval interval = newestFirst.next();
            long partNs = Math.min(leftNs, wrong.in(interval));
            wrong.credit(interval, -partNs);
            right.credit(interval, partNs);
            leftNs -= partNs;
            replacedNs += partNs;
        }
        wrong.aheadNs -= replacedNs;
        return replacedNs;
    }

    /** Places what is longer than the interval it was read in: it was counted late. Returns what finds no room. */
    private long placeBefore(Counter counter, Counter other, long ns) {
        if (ns <= 0) {
            return ns;
        }
        long leftNs = ns - replace(other, counter, ns);
        for (Iterator<Interval> newestFirst = kept.descendingIterator(); leftNs > 0 && newestFirst.hasNext(); ) {
            Interval interval = newestFirst.next();
            long partNs = Math.min(leftNs, interval.roomNs());
            counter.credit(interval, partNs);
            leftNs -= partNs;
        }
        return leftNs;
    }

    /** Takes out of the intervals what was credited too early and never counted. */
    private void takeBack(Counter counter) {
        if (counter.aheadNs <= 0) {
            return;
        }
        for (Iterator<Interval> newestFirst = kept.descendingIterator();
                counter.aheadNs > 0 && newestFirst.hasNext(); ) {
            Interval interval = newestFirst.next();
            long partNs = Math.min(counter.aheadNs, counter.in(interval));
            counter.credit(interval, -partNs);
            counter.aheadNs -= partNs;
        }
    }

    /** The thread did not block: the rest of the interval is what the kernel has not counted yet. */
    private void fill(Interval next, boolean advanced) {
        ahead(advanced ? cpu : runnable, next, next.roomNs());
    }

    private static void ahead(Counter counter, Interval next, long ns) {
        counter.credit(next, ns);
        counter.aheadNs += ns;
    }

    private void append(Interval next) {
        Interval last = kept.peekLast();
        if (last != null && isAlike(last, next) && next.endNs - last.startNs <= MAX_MERGED_NS) {
            last.endNs = next.endNs;
            last.onCpuNs += next.onCpuNs;
            last.runnableNs += next.runnableNs;
            last.events = last.events.plus(next.events);
            return;
        }
        kept.add(next);
        while (kept.size() > MAX_KEPT || kept.getFirst().endNs < next.startNs - KEPT_NS) {
            sink.accept(kept.removeFirst());
        }
    }

    private static boolean isAlike(Interval a, Interval b) {
        if (isPureRunning(a)) {
            return isPureRunning(b);
        }
        return isBlocked(a) && isBlocked(b) && a.cause.equals(b.cause);
    }

    private static boolean isPureRunning(Interval i) {
        return i.endNs > i.startNs && (i.endNs - i.startNs - i.onCpuNs) * IMPURITY_DIVISOR <= i.endNs - i.startNs;
    }

    private static boolean isBlocked(Interval i) {
        return i.endNs > i.startNs && (i.onCpuNs + i.runnableNs) * IMPURITY_DIVISOR <= i.endNs - i.startNs;
    }

    /** Settles what is owed and hands out all that is kept. */
    void finish() {
        runnable.behindNs -= replace(cpu, runnable, runnable.behindNs);
        cpu.behindNs -= replace(runnable, cpu, cpu.behindNs);
        takeBack(cpu);
        takeBack(runnable);
        cpu.behindNs = placeBefore(cpu, runnable, cpu.behindNs);
        runnable.behindNs = placeBefore(runnable, cpu, runnable.behindNs);
        kept.forEach(sink);
        kept.clear();
    }

    /**
     * Returns by how much the intervals' sums, on a CPU and waiting for one, differ from the kernel's counts after {@link #finish}, in
     * ns. 0 unless a thread waited for longer than intervals are kept.
     */
    long unplacedNs() {
        return Math.abs(cpu.behindNs - cpu.aheadNs) + Math.abs(runnable.behindNs - runnable.aheadNs);
    }
}
