package io.inferscope.collectors.host;

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
 * yet counted; later readings pay it back. What is read too late goes back into the interval before, where it belongs. At any time
 * {@code 0 <= onCpu + runnable <= length}; what can be placed nowhere is in {@link #unplacedNs}.
 */
final class StateAccount {
    /** A state is stored at the latest after this time, so that killing InferScope loses little. */
    private static final long MAX_MERGED_NS = 1_000_000_000L;

    /** Ns that are taken for zero when intervals of one pure state are merged. */
    private static final int IMPURITY_DIVISOR = 50;

    /** One reading of a thread. */
    record Reading(
            long timeNs, long cpuNs, long runnableNs, long switches, boolean running, WaitCause cause, Events events) {}

    /** A stretch in which the thread behaved alike. Mutable while it is the last one. */
    static final class Interval {
        long startNs;
        long endNs;
        long onCpuNs;
        long runnableNs;
        Events events = Events.NONE;
        WaitCause cause = WaitCause.UNKNOWN;

        long roomNs() {
            return endNs - startNs - onCpuNs - runnableNs;
        }
    }

    private final Consumer<Interval> sink;
    private final Owed cpu = new Owed();
    private final Owed runnable = new Owed();
    private Interval last = new Interval();
    private long readNs;
    private long switches = -1;
    private boolean wasRunning;

    /** One counter: what was read, what was credited too early, and what could not be credited yet. */
    private static final class Owed {
        long readTotal;
        long aheadNs;
        long behindNs;

        long take(long total) {
            long newNs = total - readTotal + behindNs - aheadNs;
            readTotal = total;
            behindNs = 0;
            aheadNs = Math.max(0, -newNs);
            return Math.max(0, newNs);
        }
    }

    /** Starts at a moment when the counters showed the given totals. */
    StateAccount(long startNs, long cpuNs, long runnableNs, Consumer<Interval> sink) {
        this.sink = sink;
        readNs = startNs;
        cpu.readTotal = cpuNs;
        runnable.readTotal = runnableNs;
        last.startNs = startNs;
        last.endNs = startNs;
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
        long lengthNs = reading.timeNs() - readNs;
        if (lengthNs <= 0) {
            return;
        }
        boolean advanced = reading.cpuNs() > cpu.readTotal;
        boolean unswitched = reading.switches() == switches;
        long cpuNs = cpu.take(reading.cpuNs());
        long waitNs = runnable.take(reading.runnableNs());
        if (!reading.running()) {
            takeBack(); // A thread that has blocked has been counted to the end.
        }
        waitNs -= replace(waitNs);
        Interval next = new Interval();
        next.startNs = readNs;
        next.endNs = reading.timeNs();
        next.onCpuNs = Math.min(cpuNs, lengthNs);
        next.runnableNs = Math.min(waitNs, lengthNs - next.onCpuNs);
        cpu.behindNs = giveBackCpu(cpuNs - next.onCpuNs);
        runnable.behindNs = giveBackRunnable(waitNs - next.runnableNs);
        if (reading.running() && wasRunning && unswitched) {
            fill(next, advanced);
        }
        next.cause = reading.cause();
        next.events = reading.events();
        readNs = reading.timeNs();
        switches = reading.switches();
        wasRunning = reading.running();
        append(next);
    }

    /** What was taken for computing, and what the kernel now counts as waiting for a CPU, are one: the last interval is put right. */
    private long replace(long waitNs) {
        long wrongNs = Math.min(Math.min(cpu.aheadNs, waitNs), last.onCpuNs);
        last.onCpuNs -= wrongNs;
        last.runnableNs += wrongNs;
        cpu.aheadNs -= wrongNs;
        return wrongNs;
    }

    private long giveBackCpu(long ns) {
        long placed = Math.min(ns, last.roomNs());
        last.onCpuNs += placed;
        return ns - placed;
    }

    private long giveBackRunnable(long ns) {
        long placed = Math.min(ns, last.roomNs());
        last.runnableNs += placed;
        return ns - placed;
    }

    /** The thread did not block: the rest of the interval is what the kernel has not counted yet. */
    private void fill(Interval next, boolean advanced) {
        long roomNs = next.roomNs();
        if (advanced) {
            next.onCpuNs += roomNs;
            cpu.aheadNs += roomNs;
        } else {
            next.runnableNs += roomNs;
            runnable.aheadNs += roomNs;
        }
    }

    private void append(Interval next) {
        if (isAlike(last, next) && next.endNs - last.startNs <= MAX_MERGED_NS) {
            last.endNs = next.endNs;
            last.onCpuNs += next.onCpuNs;
            last.runnableNs += next.runnableNs;
            last.events = last.events.plus(next.events);
        } else {
            emit();
            last = next;
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

    private void emit() {
        if (last.endNs > last.startNs) {
            sink.accept(last);
        }
    }

    /** Takes out of the last interval what was credited too early and never counted. */
    private void takeBack() {
        long tooMuchCpu = Math.min(cpu.aheadNs, last.onCpuNs);
        last.onCpuNs -= tooMuchCpu;
        cpu.aheadNs -= tooMuchCpu;
        long tooMuchWait = Math.min(runnable.aheadNs, last.runnableNs);
        last.runnableNs -= tooMuchWait;
        runnable.aheadNs -= tooMuchWait;
    }

    /** Settles what is owed in the last interval and hands it out. */
    void finish() {
        runnable.behindNs -= replace(runnable.behindNs);
        takeBack();
        cpu.behindNs = giveBackCpu(cpu.behindNs);
        runnable.behindNs = giveBackRunnable(runnable.behindNs);
        emit();
        last = new Interval();
        last.startNs = readNs;
        last.endNs = readNs;
    }

    /** Returns by how much the intervals' on-CPU sum differs from the kernel's count after {@link #finish}: counted minus placed. */
    long unplacedNs() {
        return cpu.behindNs - cpu.aheadNs;
    }
}
