package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.CpuUse;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Error margins of a replay. Source of the figures: docs/gains.md.
 *
 * @param slower upper error of the remaining time, as a share of it: other work may take the cause's place
 * @param faster how much the working part of the remaining time may become shorter, as a share: the cause may have
 *     slowed other work
 * @param cold how much it may become shorter besides, as a share of what is saved: work leaves its own code and data in
 *     the caches
 * @param least least error of a cause, measured or not, as a share of the interval
 * @param estimate largest error of a cause known from samples and counters, as a share of the interval
 */
record GainErrors(double slower, double faster, double cold, double least, double estimate) {
    /** Most of the working part of the remaining time that cold caches took. */
    private static final double COLDEST = 0.35;

    /** Replays in the literature miss by 3.3 % (Lumos) to 14 % (dPRO). */
    static final GainErrors DEVICE_WORK = new GainErrors(0.05, 0.05, 0, 0, 0.04);

    /** Work on a CPU leaves the rest colder caches. */
    static final GainErrors HOST_WORK = new GainErrors(0.05, 0.10, 0.15, 0.02, 0.025);

    /** What a line does, or recorded calls: its time is known as well as samples show it. */
    static final GainErrors PLACE = new GainErrors(0.05, 0.10, 0.15, 0, 1);

    /**
     * What is made or loaded anew has work elsewhere, too: it is slow to use at first, connects anew, and is closed;
     * what was loaded lies in no cache.
     */
    static final GainErrors MADE_ANEW = new GainErrors(0.05, 0.25, 0, 0, 1);

    /** After being blocked, a thread continues with cold caches and a lowered clock. */
    private static final GainErrors BLOCKED = new GainErrors(0.01, 0.18, 0, 0, 0.04);

    /** After waiting for a CPU, a thread continues with caches that other threads have filled. */
    private static final GainErrors QUEUED = new GainErrors(0.01, 0.18, 0, 0, 0.04);

    /** Besides, each hand-over of a lock costs time on a CPU. */
    private static final GainErrors CONTENDED = new GainErrors(0.01, 0.23, 0, 0, 0.04);

    /**
     * Without the wait, threads that worked during it may share a core with the thread: two threads of one core do 1.26
     * times the work of one.
     */
    static final GainErrors WORKED_BESIDE = new GainErrors(0.01, 0.37, 0, 0, 0.04);

    /** Where other programs keep all CPUs busy, caches are cold, and a program's parts run at changing speeds. */
    private static final double CROWDED = 0.25;

    /** Returns the errors beside other programs, if these kept the CPUs busy. */
    GainErrors beside(CpuUse use) {
        return isCrowded(use) ? new GainErrors(slower, Math.max(faster, CROWDED), cold, least, estimate) : this;
    }

    static boolean isCrowded(CpuUse use) {
        return use.isBusy() && use.isOthers();
    }

    /** Returns the error of an estimate with a bound in an interval, in ns. */
    double estimateNs(long boundNs, long stretchNs) {
        return Math.max(least * stretchNs, Math.min((double) boundNs, estimate * stretchNs));
    }

    /** Returns by how much the working part of the remaining time may become shorter without what is saved, in ns. */
    double fasterNs(long workNs, long savedNs) {
        return Math.hypot(faster * workNs, Math.min(cold * savedNs, COLDEST * workNs));
    }

    /**
     * Returns the errors of removing classes from a thread's time. In programs with devices, device work is most of the
     * remaining time.
     */
    static GainErrors of(List<LedgerClass> classes, Ledger ledger, boolean devices) {
        boolean recurs = ledger.part() == LedgerPart.STEADY_STATE;
        return devices ? DEVICE_WORK : HOST_WORK.heldUp(classes, recurs, ledger::ns);
    }

    /**
     * Returns the mean of the classes' errors by the time of each; work has these.
     *
     * @param recurs whether what is loaded replaces what was used, again and again
     */
    GainErrors heldUp(Collection<LedgerClass> classes, boolean recurs, ToLongFunction<LedgerClass> time) {
        long allNs = classes.stream().mapToLong(time).sum();
        if (allNs == 0) {
            return this;
        }
        ToDoubleFunction<ToDoubleFunction<GainErrors>> mean = of -> classes.stream()
                        .mapToDouble(one -> time.applyAsLong(one) * of.applyAsDouble(errors(one, recurs)))
                        .sum()
                / allNs;
        return new GainErrors(
                mean.applyAsDouble(GainErrors::slower),
                mean.applyAsDouble(GainErrors::faster),
                mean.applyAsDouble(GainErrors::cold),
                mean.applyAsDouble(GainErrors::least),
                mean.applyAsDouble(GainErrors::estimate));
    }

    private GainErrors errors(LedgerClass of, boolean recurs) {
        return switch (of) {
            case WAIT_GIL, WAIT_LOCK -> CONTENDED;
            case WAIT_RUN_QUEUE -> QUEUED;
            case FRAMEWORK_COMPILE_LOAD -> recurs ? new GainErrors(slower, MADE_ANEW.faster, 0, least, estimate) : this;
            default -> holdsUp(of) ? BLOCKED : this;
        };
    }

    /** Returns whether such a wait ends by an event that the thread's own caches and clock do not influence. */
    static boolean isEndedElsewhere(LedgerClass ledgerClass) {
        return switch (ledgerClass) {
            case WAIT_TIMER, WAIT_IO, WAIT_SOCKET, WAIT_CHILD_PROCESS, WAIT_UNKNOWN, WAIT_STOPPED, WAIT_RUN_QUEUE ->
                true;
            default -> false;
        };
    }

    /**
     * Returns whether the class blocks the thread. Garbage collection does not: it runs on the CPU of the waiting
     * thread.
     */
    private static boolean holdsUp(LedgerClass ledgerClass) {
        return ledgerClass.isWaiting() && ledgerClass != LedgerClass.WAIT_GC;
    }
}
