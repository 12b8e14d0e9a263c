package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * Turns readings of one thread's counters into intervals whose sums are exactly the kernel's counts.
 *
 * <p>The kernel brings a running thread's counters up to date at scheduler ticks (some 4 ms apart) and at switches, so
 * a reading lags behind. If readings were credited unchanged, a busy thread would seem to be blocked in one interval
 * and to run longer than the whole next one:
 *
 * <pre>
 *   truth      RRRRRRRRRR RRRRRRRRRR RRRRR.....
 *   read       RRRRRRR... RRRRRRRRRRRR (more than the interval is long)
 *   credited   RRRRRRRRRR RRRRRRRRRR RRRRR.....
 * </pre>
 *
 * A thread that was running at both ends and was not switched in between is credited with the whole interval; the
 * uncounted part is a debt that later readings repay, or turn into runnable time. A thread that blocked in the interval
 * and runs at its end is credited with the average lag: otherwise each of its waits would seem to begin earlier, within
 * the previous activity, and to end sooner. Time that is counted late, such as a wait for a CPU, which the kernel
 * counts at its end, is added to earlier intervals, which are kept for {@link #KEPT_NS}. At any time {@code 0 <= onCpu
 * + runnable <= length}; time that fits nowhere is in {@link #unplacedNs}.
 *
 * <p>In a virtual machine, a debt that is never repaid although the thread was not switched is stolen time (proc(5)):
 * the hypervisor ran something else on the CPU. The thread was ready and had no CPU, but the kernel counts this for no
 * thread.
 */
final class StateAccount {
    /** A state is stored after at most this time plus {@link #KEPT_NS}, so that killing InferScope loses little. */
    private static final long MAX_MERGED_NS = 1_000_000_000L;

    /** How long intervals can be corrected. On a shared CPU, a thread may wait for tenths of a second. */
    private static final long KEPT_NS = 500_000_000L;

    /** Most intervals kept: perf events may divide time into far shorter intervals than readings do. */
    private static final int MAX_KEPT = 128;

    /**
     * When intervals of one state are merged, times in other states below one in this many of an interval count as
     * zero.
     */
    private static final int IMPURITY_DIVISOR = 50;

    /**
     * Shorter intervals are not examined for stolen time: they may lie between two ticks of a kernel with 100 a second.
     */
    private static final long LONG_NS = 15_000_000L;

    /** One reading of a thread. */
    record Reading(
            long timeNs,
            long cpuNs,
            long runnableNs,
            long switches,
            boolean running,
            WaitCause cause,
            FaultsAndSwitches events) {}

    /** An interval with one behaviour of the thread. Mutable while it is the last one. */
    static final class Interval {
        long startNs;
        long endNs;
        long onCpuNs;

        /** As the kernel counts it, without {@link #stolenNs}. */
        long runnableNs;

        /** Ready, on a CPU that the hypervisor had taken away. */
        long stolenNs;

        /** Credited because the thread was not switched, before it was counted; 0 if the interval is short. */
        private long filledNs;

        FaultsAndSwitches events = FaultsAndSwitches.NONE;
        WaitCause cause = WaitCause.UNKNOWN;

        long roomNs() {
            return endNs - startNs - onCpuNs - runnableNs - stolenNs;
        }
    }

    /**
     * By how much running threads' counts lag: up to one scheduler tick, half of it on average, unless the reader runs
     * on the same CPU.
     */
    static final class Lag {
        private final long tickNs;

        /** Whether a hypervisor has taken CPU time away; without one there is no stolen time. */
        private boolean steals;

        /** {@code tickNs} is the time between two scheduler ticks: {@link OperatingSystem#tickNs()}. */
        Lag(long tickNs) {
            this.tickNs = tickNs;
        }

        /** Notes that a hypervisor has taken CPU time. */
        void hypervisorSteals() {
            steals = true;
        }

        private long meanNs() {
            return tickNs / 2;
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

    /** One counter: the total read, the time credited too early, and the time not yet credited. */
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

    /** Starts at a moment with the given totals of the counters. {@code lag} is shared by all threads. */
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

    /** Returns the CPU time credited so far, in ns: the time read, and the time that the kernel had not counted yet. */
    long creditedCpuNs() {
        return cpu.readTotal + cpu.aheadNs;
    }

    /** Returns the CPU time that the kernel had counted at the last reading, in ns. */
    long countedCpuNs() {
        return cpu.readTotal;
    }

    /** Returns the time spent runnable that was credited so far, in ns. */
    long creditedRunnableNs() {
        return runnable.readTotal + runnable.aheadNs;
    }

    /** Adds a reading; earlier ones than the last are ignored. */
    void add(Reading reading) {
        add(reading, false, 0);
    }

    /** Adds a piece of an interval as recorded by the kernel. It ends with a switch, so none of it is counted later. */
    void addPiece(Reading piece, long stolenNs) {
        add(piece, true, stolenNs);
    }

    private void add(Reading reading, boolean isPiece, long stolenNs) {
        long lengthNs = reading.timeNs() - readNs;
        if (lengthNs <= 0) {
            return;
        }
        boolean advanced = reading.cpuNs() > cpu.readTotal;
        boolean ranOn = !isPiece && reading.running() && wasRunning && reading.switches() == switches;
        long cpuNs = cpu.take(reading.cpuNs());
        long waitNs = runnable.take(reading.runnableNs());
        waitNs -= replace(cpu, runnable, waitNs);
        if (!reading.running()) { // The counts of a blocked thread are complete.
            steal(cpu);
            takeBack(cpu);
            takeBack(runnable);
        }
        Interval next = new Interval();
        next.startNs = readNs;
        next.endNs = reading.timeNs();
        next.onCpuNs = Math.min(cpuNs, lengthNs);
        next.runnableNs = Math.min(waitNs, lengthNs - next.onCpuNs);
        next.stolenNs = lag.steals ? Math.min(stolenNs, next.roomNs()) : 0;
        cpu.behindNs = placeBefore(cpu, runnable, cpuNs - next.onCpuNs);
        runnable.behindNs = placeBefore(runnable, cpu, waitNs - next.runnableNs);
        if (ranOn) {
            if (advanced) { // It ran at a tick and was not switched: what it owes from before that tick is counted.
                steal(cpu);
                steal(runnable);
            }
            fill(next, advanced);
        } else if (reading.running() && !isPiece) {
            ahead(cpu, next, Math.min(next.roomNs(), Math.max(0, lag.meanNs() - cpu.aheadNs)));
        }
        next.cause = reading.cause();
        next.events = reading.events();
        readNs = reading.timeNs();
        switches = reading.switches();
        wasRunning = reading.running();
        append(next);
    }

    /** Adds what was counted since the last reading but read only after it. */
    void addLate(FaultsAndSwitches events) {
        Interval last = kept.peekLast();
        if (last != null) {
            last.events = last.events.plus(events);
        }
    }

    /** Moves time from the wrong counter to the right one. Returns the moved time, at most {@code ns}. */
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

    /**
     * Places time that exceeds the interval of its reading, and so was counted late, into earlier intervals. Returns
     * the time without room.
     */
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

    /** Removes from the intervals the time that was credited too early and never counted. */
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

    /** Moves what a thread owes from intervals without a switch, all beyond a tick, to the stolen time. */
    private void steal(Counter counter) {
        long leftNs = lag.steals ? counter.aheadNs - 2 * lag.meanNs() - cpu.behindNs - runnable.behindNs : 0;
        for (Iterator<Interval> newestFirst = kept.descendingIterator(); leftNs > 0 && newestFirst.hasNext(); ) {
            Interval interval = newestFirst.next();
            long partNs = Math.min(leftNs, Math.min(interval.filledNs, counter.in(interval)));
            counter.credit(interval, -partNs);
            counter.aheadNs -= partNs;
            interval.filledNs -= partNs;
            interval.stolenNs += partNs;
            leftNs -= partNs;
        }
    }

    /** Fills an interval in which the thread did not block: the rest is time that the kernel has not counted yet. */
    private void fill(Interval next, boolean advanced) {
        long roomNs = next.roomNs();
        next.filledNs = lag.tickNs > 0 && next.endNs - next.startNs >= LONG_NS ? roomNs : 0;
        ahead(advanced ? cpu : runnable, next, roomNs);
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
            last.stolenNs += next.stolenNs;
            last.filledNs += next.filledNs;
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
        return i.endNs > i.startNs && (i.onCpuNs + i.runnableNs + i.stolenNs) * IMPURITY_DIVISOR <= i.endNs - i.startNs;
    }

    /** Settles the debts and passes on all kept intervals. */
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
     * Returns the difference between the intervals' sums (on a CPU and runnable) and the kernel's counts after {@link
     * #finish}, in ns. 0 unless a thread waited longer than intervals are kept.
     */
    long unplacedNs() {
        return Math.abs(cpu.behindNs - cpu.aheadNs) + Math.abs(runnable.behindNs - runnable.aheadNs);
    }
}
