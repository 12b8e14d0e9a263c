package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.procfs.ContextSwitchCounter;
import io.inferscope.collectors.procfs.CounterBaseline;
import io.inferscope.collectors.procfs.ProcText;
import io.inferscope.timeline.WaitReason;
import org.jspecify.annotations.Nullable;

/** One observed thread: its open descriptors and its account. */
final class SampledThread implements ObservedThread {
    /** Bytes of the longest file read here; {@code stat} is the longest, with some 52 numbers. */
    private static final int BUFFER_BYTES = 1024;

    private static final int MINOR_FAULTS = 7; // Fields of stat, counted from the state letter on: proc(5) 10 and 12.
    private static final int MAJOR_FAULTS = 9;
    private static final int SYSTEM_TICKS = 12; // proc(5) 15
    private static final int RESIDENT_PAGES = 21;
    private static final int LAST_CPU = 36; // proc(5) 39
    private static final long TICK_NS = 10_000_000L; // USER_HZ is 100
    private static final int NOT_OPEN = -1;

    /**
     * A thread that blocked between two readings is assumed to have blocked for its last known reason, if that is at
     * most this old.
     */
    private static final long RECENT_NS = 1_000_000_000L;

    /** Faults and system time are read after the thread has run this long, or longer while they are few. */
    private static final long BUSY_NS = 1_000_000L;

    private static final long LONGEST_BUSY_NS = 32_000_000L;

    /** Fewer than one fault per this CPU time counts as few: at some 1 us each they take less than 1 % of it. */
    private static final long FEW_FAULTS_NS = 100_000L;

    /** Shared objects for sampling threads. One thread reads all of them, into one buffer. */
    record Context(
            OperatingSystem system,
            WaitFinder waits,
            NumaWatch numa,
            PerfWatch perf,
            HostCounts counts,
            Buffer buffer) {
        Context(OperatingSystem system, WaitFinder waits, NumaWatch numa, PerfWatch perf, HostCounts counts) {
            this(system, waits, numa, perf, counts, new Buffer());
        }
    }

    private static final class Buffer {
        final byte[] bytes = new byte[BUFFER_BYTES];
    }

    private final Context context;
    private final int pid;
    private final int tid;
    private final byte[] buffer;
    private final StateAccount account;
    private final int schedstat;
    private int syscall;
    private final int stat;
    private long switches = -1;
    private boolean blocked;
    private boolean longWait;
    private WaitCause cause = WaitCause.UNKNOWN;
    private Futexes.@Nullable Wait futex;
    private final TimedWaits timed = new TimedWaits();
    private long causeNs;
    private long lostBefore;
    private final ContextSwitchCounter kinds;
    private long minorFaults;
    private long residentPages;
    private long majorFaults;
    private long systemTicks;
    private int newMinorFaults;
    private int newMajorFaults;
    private char state = 'R';
    private long cpuAtStatNs;
    private long busyNs = BUSY_NS;
    private long readNs;
    private long lastReadNs;
    private long cpuNs;
    private long runnableNs;
    private WaitCause before = WaitCause.UNKNOWN;
    private boolean unsettled;
    private boolean hasRun = true;
    private boolean ended;

    SampledThread(Context context, int pid, int tid, StateAccount account) {
        this.context = context;
        buffer = context.buffer().bytes;
        this.pid = pid;
        this.tid = tid;
        this.account = account;
        String folder = "/proc/" + pid + "/task/" + tid + "/";
        schedstat = context.system().open(folder + "schedstat");
        stat = context.system().open(folder + "stat");
        syscall = context.system().open(folder + "syscall");
        kinds = new ContextSwitchCounter(context.system(), folder + "status");
    }

    int tid() {
        return tid;
    }

    /** Excludes the kernel's counts before the observation. */
    void startAfter(CounterBaseline before) {
        minorFaults = before.minorFaults();
        majorFaults = before.majorFaults();
        systemTicks = before.systemTicks();
        cpuAtStatNs = before.cpuNs();
    }

    /** Returns whether the thread exists but may not be read. */
    boolean isHidden() {
        return isRefused(schedstat) || isRefused(stat);
    }

    private static boolean isRefused(int descriptor) {
        return descriptor < 0 && descriptor != OperatingSystem.NO_SUCH_PROCESS;
    }

    /** Returns whether the thread's time is recorded but not the reasons of its waits. */
    boolean isWaitHidden() {
        return isRefused(syscall);
    }

    @Override
    public long cpuNs() {
        return cpuNs;
    }

    @Override
    public long systemNs() {
        return systemTicks * TICK_NS;
    }

    @Override
    public long pageFaults() {
        return minorFaults;
    }

    @Override
    public long residentPages() {
        return residentPages;
    }

    @Override
    public long cpuNsOfCounts() {
        return cpuAtStatNs;
    }

    /** Takes a reading and adds it to the account; returns false if the thread has ended. */
    boolean sample() {
        boolean there = read();
        settle();
        return there;
    }

    /** Takes a reading, which {@link #settle} adds to the account; returns false if the thread has ended. */
    boolean read() {
        if (isHidden()) {
            return true;
        }
        int length = context.system().read(schedstat, buffer);
        lastReadNs = readNs;
        readNs = context.system().monotonicNs();
        if (length <= 0) {
            ended = true;
            return false;
        }
        cpuNs = ProcText.number(buffer, 0, length, 0);
        runnableNs = ProcText.number(buffer, 0, length, 1);
        long newSwitches = ProcText.number(buffer, 0, length, 2);
        newMinorFaults = 0;
        newMajorFaults = 0;
        kinds.forget();
        before = blocked ? cause : readNs - causeNs < RECENT_NS ? lastCause() : WaitCause.UNKNOWN;
        hasRun = !blocked || newSwitches != switches;
        if (hasRun) { // Otherwise the thread has not run since, and nothing else can have changed.
            timed.end(readNs);
            longWait = false;
            look();
            causeNs = blocked ? readNs : causeNs;
            kinds.read(readNs);
        } else {
            timed.goesOn(readNs);
            lookForStop();
        }
        switches = newSwitches;
        unsettled = true;
        ended = state == 'Z' || state == 'X';
        return !ended;
    }

    /**
     * The cause of a wait between two readings: another thread may have held the lock, but a socket has the same other
     * end.
     */
    private WaitCause lastCause() {
        return cause.reason() == WaitReason.SOCKET ? cause : cause.heldBy(0);
    }

    /**
     * Adds the reading to the account. Called after stacks were read, so the holder of an interpreter's lock is known.
     */
    void settle() {
        if (!unsettled) {
            return;
        }
        unsettled = false;
        if (blocked && futex != null && (!hasRun || cause.reason() == WaitReason.GIL)) {
            cause = context.waits().again(futex, cause);
        }
        cutBySwitches();
        account.add(new StateAccount.Reading(
                readNs,
                cpuNs,
                runnableNs,
                switches,
                !blocked,
                blocked ? cause : before,
                FaultsAndSwitches.of(newMajorFaults, newMinorFaults, kinds.newVoluntary(), kinds.newInvoluntary())));
    }

    /** If the kernel recorded each switch, divides the time since the last reading into pieces of one state. */
    private void cutBySwitches() {
        SwitchLog log = context.perf().log(tid);
        if (log == null || log.isEmpty()) {
            return;
        }
        long fromNs = account.readNs();
        long newRunnableNs = runnableNs - account.creditedRunnableNs();
        // A lost record may hide that the thread was switched off its CPU.
        boolean complete = context.perf().lost() == lostBefore;
        lostBefore = context.perf().lost();
        Stolen stolen = new Stolen(complete ? cpuNs - account.countedCpuNs() : Long.MAX_VALUE);
        log.cut(fromNs, context.perf().knownNs(), newRunnableNs, (endNs, onNs, waitedNs, on) -> {
            long cpuTotalNs = Math.min(cpuNs, account.creditedCpuNs() + onNs);
            long runnableTotalNs = Math.min(runnableNs, account.creditedRunnableNs() + waitedNs);
            account.addPiece(
                    new StateAccount.Reading(
                            endNs, cpuTotalNs, runnableTotalNs, switches, on, before, FaultsAndSwitches.NONE),
                    stolen.in(onNs));
        });
    }

    /** The recorded switches show more time on a CPU than the kernel counted: the hypervisor took the difference. */
    private static final class Stolen {
        private long countedNs;

        Stolen(long countedNs) {
            this.countedNs = countedNs;
        }

        long in(long onNs) {
            long stolenNs = Math.max(0, onNs - countedNs);
            countedNs -= onNs - stolenNs;
            return stolenNs;
        }
    }

    /**
     * Determines the thread's current state. {@code stat} costs most and is read only if {@code syscall} does not
     * suffice.
     */
    private void look() {
        boolean busy = cpuNs - cpuAtStatNs >= busyNs;
        if (syscall < 0) {
            stat();
            blocked = state != 'R';
            cause = state == 'D' ? new WaitCause(WaitReason.FILE_IO, "") : unknown();
            return;
        }
        int length = context.system().read(syscall, buffer);
        if (length == OperatingSystem.NOT_PERMITTED || length == OperatingSystem.ACCESS_DENIED) {
            context.system().close(syscall);
            syscall = NOT_OPEN;
            context.counts().hiddenWaits++; // Any user may open the file, but reading it requires ptrace access.
            look();
            return;
        }
        blocked = length > 0 && buffer[0] != 'r'; // "running" (proc(5)), on a CPU or waiting for one
        cause = blocked ? cause(length) : cause; // A running thread keeps the cause of its last wait.
        if (busy) {
            stat();
        }
    }

    /** Reads the state letter, and the faults since the last reading. */
    private void stat() {
        newMinorFaults = 0;
        newMajorFaults = 0;
        int length = context.system().read(stat, buffer);
        if (length <= 0) {
            state = 'X';
            return;
        }
        int from = ProcText.stateIndex(buffer, length);
        state = (char) buffer[from];
        long minorTotal = ProcText.number(buffer, from, length, MINOR_FAULTS);
        long majorTotal = ProcText.number(buffer, from, length, MAJOR_FAULTS);
        newMinorFaults = (int) Math.max(0, minorTotal - minorFaults);
        newMajorFaults = (int) Math.max(0, majorTotal - majorFaults);
        minorFaults = minorTotal;
        residentPages = ProcText.number(buffer, from, length, RESIDENT_PAGES);
        majorFaults = majorTotal;
        long ranNs = cpuNs - cpuAtStatNs;
        if (ranNs > 0) {
            context.numa().ran(pid, (int) ProcText.number(buffer, from, length, LAST_CPU), ranNs);
        }
        long newSystemTicks = ProcText.number(buffer, from, length, SYSTEM_TICKS) - systemTicks;
        systemTicks += newSystemTicks;
        boolean few = newMajorFaults == 0 && newSystemTicks <= 0 && newMinorFaults * FEW_FAULTS_NS <= ranNs;
        busyNs = few ? Math.min(LONGEST_BUSY_NS, busyNs * 2) : BUSY_NS;
        cpuAtStatNs = cpuNs;
    }

    /**
     * Interprets {@code syscall}: {@code number arg0 ...}, or {@code -1} outside a system call (proc(5)): a page fault,
     * or an end.
     */
    private WaitCause cause(int length) {
        futex = null;
        if (buffer[0] >= '0' && buffer[0] <= '9') {
            return known(length);
        }
        stat();
        return state == 'D' ? WaitCause.PAGE_FAULT : unknown();
    }

    private WaitCause unknown() {
        return isStopped() ? WaitCause.STOPPED : WaitCause.UNKNOWN;
    }

    private boolean isStopped() {
        return state == 'T' || state == 't'; // By a signal, or by a tracer (proc(5))
    }

    /** A thread that is stopped in a system call seems to wait there: of a longer wait, {@code stat} is read once. */
    private void lookForStop() {
        if (blocked && !longWait) {
            longWait = true;
            stat();
            if (isStopped()) {
                futex = null;
                cause = WaitCause.STOPPED;
            }
        }
    }

    private WaitCause known(int length) {
        int number = (int) ProcText.number(buffer, 0, length, 0);
        WaitFinder.Found found = context.waits().find(pid, tid, buffer, length);
        if (found == null) {
            stat();
            return state == 'D'
                    ? new WaitCause(WaitReason.FILE_IO, "syscall " + number)
                    : isStopped() ? WaitCause.STOPPED : new WaitCause(WaitReason.UNKNOWN, "syscall " + number);
        }
        futex = found.futex();
        timed.begin(lastReadNs, readNs, found.timeoutNs());
        return found.timeoutNs() > 0 && timed.runOut() ? found.cause().endedByTimeout() : found.cause();
    }

    @Override
    public boolean hasRun() {
        return hasRun;
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public boolean isBlocked() {
        return blocked;
    }

    @Override
    public boolean waitsForGil() {
        return blocked && cause.reason() == WaitReason.GIL;
    }

    /** Passes on pending intervals and closes the descriptors. */
    void finish() {
        ended = true;
        settle();
        if (stat >= 0) {
            stat();
            account.addLate(FaultsAndSwitches.of(newMajorFaults, newMinorFaults, 0, 0));
        }
        account.finish();
        context.counts().unplacedNs += account.unplacedNs();
        close(schedstat);
        close(stat);
        close(syscall);
        kinds.close();
        context.perf().forget(tid);
    }

    private void close(int descriptor) {
        if (descriptor >= 0) {
            context.system().close(descriptor);
        }
    }
}
