package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.OwnThread;
import io.inferscope.collectors.os.ThreadEnd;
import io.inferscope.collectors.procfs.CounterBaseline;
import io.inferscope.collectors.procfs.ProcText;
import io.inferscope.scope.spool.Clocks;
import io.inferscope.scope.spool.SpoolFormat;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Samples every thread of a process tree on its own thread, until it is stopped. It only reads {@code /proc}: the
 * observed program is neither stopped nor changed. Failures are counted and reported in COVERAGE records, never thrown.
 */
public final class HostSampler {
    private static final long SCAN_PERIOD_NS = 50_000_000L;
    private static final long CLOCK_PERIOD_NS = 1_000_000_000L;

    private static final double WORTH_SAYING = 0.01;
    private static final String SOURCE = "host";

    // Names, in notes, of what is looked at.
    private static final String STEAL = "CPU time that a hypervisor took";

    private static final String IDENTITY = "names and roles of processes";

    private static final String MEMORY = "memory and control group";
    private static final String NUMA = "NUMA nodes";
    private static final String DEVICES = "devices in use";
    private static final String EVENTS = "events of the kernel";
    private static final String NATIVE = "native stacks";

    private final OperatingSystem system;
    private final SpoolWriter writer;
    private final StateAccount.Lag lag;
    private final HostCounts counts = new HostCounts();
    private long stolenTicks = -1;
    private final SamplingPace pace;
    private final HostOptions options;
    private long sampledSinceNs;
    private final SampledThread.Context context;
    private final TargetMemory memory;
    private final StackCollector stacks;
    private final StackCost stackCost;
    private final OptionalProbes looks = new OptionalProbes();
    private final IdentityRefresher identities;
    private final MemoryWatch memoryWatch;
    private final NumaWatch numa;
    private final DeviceWatch devices;
    private final PerfWatch perf;
    private final NativeWatch natives;
    private final ProcessTree tree;
    private final ObservedProcesses processes = new ObservedProcesses();
    private final RootProcess root;
    private final Thread thread;
    private final Consumer<SampledThread> gone = this::finish;
    private volatile boolean stopping;
    private volatile String failure = "";
    private long cpuAtStartNs;
    private volatile long meanPeriodNs;
    private volatile long longestPeriodNs;
    private volatile long cpuNs;
    private @Nullable SampledProcess rootProcess;

    /**
     * A process that was seen.
     *
     * @param pid its id
     * @param program base name of its executable at the last reading
     * @param forkedFrom its parent, if it has the same command line or ended before that could be read; otherwise 0
     */
    public record SeenProcess(int pid, String program, int forkedFrom) {}

    /**
     * Starts sampling.
     *
     * @param system the operating system
     * @param writer where records go; the caller closes it
     * @param root the process to start from
     * @param options how to sample
     * @param stacks reads the threads' stacks, on the sampling thread
     */
    public HostSampler(
            OperatingSystem system, SpoolWriter writer, RootProcess root, HostOptions options, StackCollector stacks) {
        this.stacks = stacks;
        stackCost = new StackCost(system);
        this.system = system;
        lag = new StateAccount.Lag(system.tickNs());
        pace = new SamplingPace(options.overheadRatio(), options.sampleRateHz(), options.settles());
        this.options = options;
        sampledSinceNs = options.windowNs() == 0 ? 0 : options.windowAtNs(system.monotonicNs());
        this.writer = writer;
        this.root = root;
        memory = new TargetMemory(system);
        identities = new IdentityRefresher(system, writer::write);
        memoryWatch = new MemoryWatch(system, writer::write);
        looks.take(MEMORY, () -> memoryWatch.begin(root.pid()));
        numa = new NumaWatch(system, writer::write);
        looks.take(NUMA, numa::begin);
        devices = new DeviceWatch(system, writer::write);
        perf = new PerfWatch(system, writer::write, options.perf());
        natives = new NativeWatch(
                system,
                writer::write,
                options.sampleRateHz(),
                new PerfRings(system, PerfRings.MAX_EVENTS),
                options.natives());
        context = new SampledThread.Context(
                system, new WaitFinder(system, memory, stacks, this::pids), numa, perf, counts);
        tree = new ProcessTree(system, new Recording(), root);
        looks.take(EVENTS, () -> perf.open(tree.processes()));
        thread = new Thread(this::run, "inferscope-host");
        thread.setDaemon(true);
        thread.start();
    }

    public ObservedProcesses processes() {
        return processes;
    }

    /** Returns the processes that were seen, ended ones too; no more than the first 65,536. */
    public List<SeenProcess> seen() {
        return processes.seen();
    }

    /**
     * Takes the last sample and writes pending records. To be called while the command's process is still a zombie, so
     * that its final counters can be read.
     *
     * @param endNs when the command ended
     * @param exitCode its exit code, minus the signal's number when one killed it
     */
    public void stop(long endNs, int exitCode) {
        stopping = true;
        system.wake();
        ThreadEnd.awaitEnd(thread, 0);
        synchronized (this) {
            finish(endNs, exitCode);
        }
    }

    private Collection<Integer> pids() {
        return tree.pids();
    }

    private void run() {
        OwnThread.runSoonAfterWaking();
        long startNs = system.monotonicNs();
        long lastNs = startNs;
        try {
            OverheadMeter expense = new OverheadMeter(system);
            RoundTimer rhythm = new RoundTimer(system);
            cpuAtStartNs = system.threadCpuNs();
            long cpuBeforeNs = cpuAtStartNs;
            long nextScanNs = 0;
            long nextClockNs = 0;
            while (!stopping) {
                pauseBetweenWindows();
                long nowNs = system.monotonicNs();
                long sinceNs = nowNs - lastNs;
                longestPeriodNs = Math.max(longestPeriodNs, sinceNs);
                lastNs = nowNs;
                boolean scan = nowNs >= nextScanNs;
                nextScanNs = scan ? nowNs + SCAN_PERIOD_NS : nextScanNs;
                round(scan);
                // Read once a round, so that the cost of waiting for the round is included.
                long nowCpuNs = system.threadCpuNs();
                long roundCpuNs = nowCpuNs - cpuBeforeNs;
                cpuBeforeNs = nowCpuNs;
                expense.add(roundCpuNs);
                stackCost.add(roundCpuNs);
                if (nowNs >= nextClockNs) {
                    nextClockNs = nowNs + CLOCK_PERIOD_NS;
                    writer.write(Clocks.read());
                    lookAround();
                    expense.tell(pace);
                    cpuBeforeNs = system.threadCpuNs(); // The period does not change what a second's look costs.
                }
                rhythm.await(nowNs, pace.next(roundCpuNs, sinceNs));
            }
            round(true);
        } catch (RuntimeException | Error broken) { // The command continues without being observed.
            failure = broken.toString();
        }
        meanPeriodNs = (system.monotonicNs() - startNs) / Math.max(1, counts.samples);
        writeOverhead();
    }

    /** Samples only at the start of each period, if that was asked for: the program's steps show what sampling costs. */
    private void pauseBetweenWindows() {
        long nowNs = system.monotonicNs();
        if (options.windowNs() == 0 || nowNs < options.windowAtNs(sampledSinceNs) + options.windowNs()) {
            return;
        }
        boolean twice = options.isTwice(sampledSinceNs);
        writer.write(new SpoolRecord.Pace(sampledSinceNs, nowNs, SpoolFormat.DETAIL_FULL, twice));
        natives.pause(true);
        long nextNs = options.windowAtNs(nowNs);
        for (long atNs = nowNs; !stopping && atNs < nextNs; atNs = system.monotonicNs()) {
            system.sleep(nextNs - atNs);
        }
        natives.pause(false);
        sampledSinceNs = system.monotonicNs();
        writer.write(new SpoolRecord.Pace(nowNs, sampledSinceNs, SpoolFormat.DETAIL_OFF, twice));
    }

    private synchronized void round(boolean scan) {
        if (scan) {
            tree.scan();
        }
        perf.drain();
        stackCost.round();
        NativeSamples seen = natives.take();
        for (SampledProcess process : tree.processes()) {
            process.read(gone);
            stackCost.begin();
            stacks.sample(process.pid, process, seen);
            stackCost.end();
            process.settle();
        }
        seen.takeNow();
        if (scan) {
            looks.take(NATIVE, () -> tree.processes().forEach(this::sampleNatively));
        }
        counts.samples++;
    }

    private void sampleNatively(SampledProcess process) {
        boolean isUnread = process.hasWorked() && stacks.isUnread(process.pid);
        if (isUnread && !process.isSampledNatively) {
            process.isSampledNatively = true;
            natives.openProgram(process);
        } else if (!isUnread) {
            endNatively(process); // A Python that was found late.
        }
    }

    private void endNatively(SampledProcess process) {
        if (process.isSampledNatively) {
            process.isSampledNatively = false;
            natives.closeProgram(process.pid);
        }
    }

    /** Reads the facts that are read once a second. */
    private synchronized void lookAround() {
        looks.take(STEAL, this::readSteal);
        looks.take(IDENTITY, () -> tree.processes().forEach(this::identify));
        looks.take(MEMORY, () -> memoryWatch.read(tree.processes()));
        tree.processes().forEach(this::writeChildren);
        looks.take(NUMA, () -> numa.read(tree.processes()));
        looks.take(DEVICES, () -> devices.read(tree.processes()));
        looks.take(EVENTS, perf::count);
    }

    /** Reads how much CPU time the hypervisor took from this machine: proc(5), the eighth number of its first line. */
    private void readSteal() {
        int descriptor = system.open("/proc/stat");
        if (descriptor < 0) {
            return;
        }
        byte[] text = new byte[256];
        int length = system.read(descriptor, text);
        system.close(descriptor);
        if (length <= 0) {
            return;
        }
        long ticks = ProcText.number(text, 0, length, 8);
        if (stolenTicks >= 0 && ticks > stolenTicks) {
            lag.hypervisorSteals();
        }
        stolenTicks = ticks;
    }

    private void identify(SampledProcess process) {
        int before = process.commandLineHash;
        if (identities.look(process)) {
            writeProcess(process, 0, 0);
        }
        if (process.commandLineHash != before) {
            endNatively(process); // It may run another program now, which lost its events.
        }
        identities.write(process);
    }

    private void countChildren(SampledProcess process) {
        counts.unseenChildrenNs += process.unseenChildrenNs();
        writeChildren(process);
    }

    private void writeChildren(SampledProcess process) {
        long ns = process.unseenChildrenNs();
        if (ns > process.writtenChildrenNs) {
            process.writtenChildrenNs = ns;
            writer.write(new SpoolRecord.Counter(system.monotonicNs(), ns, "host.unseen_children_cpu_ns", process.pid));
        }
    }

    private void finish(SampledThread sampled) {
        sampled.finish();
        natives.forget(sampled.tid());
        counts.sampledCpuNs += sampled.cpuNs();
    }

    private void finish(long endNs, int exitCode) {
        for (SampledProcess process : List.copyOf(tree.processes())) {
            process.release(this::finish);
            countChildren(process);
            looks.take(NUMA, () -> numa.finish(process.pid));
        }
        tree.close();
        stacks.finish();
        looks.take(MEMORY, memoryWatch::finish);
        looks.take(EVENTS, perf::finish);
        looks.take(NATIVE, natives::finish);
        writeRootEnd(endNs, exitCode);
        writer.write(Clocks.read());
    }

    /**
     * Writes the end of the command's process. The tree drops the process when it sees the zombie, and only the caller
     * knows the exit code.
     */
    private void writeRootEnd(long endNs, int exitCode) {
        if (rootProcess != null && !root.running()) { // The exit code of another process's child is not available.
            writeProcess(rootProcess, endNs, exitCode);
        }
    }

    private void writeProcess(SampledProcess process, long endNs, int exitCode) {
        writer.write(new SpoolRecord.ProcessLife(
                process.startNs,
                process.pid,
                process.parentPid,
                "",
                process.identity.program(),
                endNs,
                exitCode,
                "proc"));
    }

    private void writeOverhead() {
        try {
            cpuNs = system.threadCpuNs() - cpuAtStartNs;
            long stacksNs = stackCost.ns(cpuNs);
            writer.write(new SpoolRecord.Overhead(cpuNs - stacksNs, 0, SOURCE, 0, counts.states));
            writer.write(new SpoolRecord.Overhead(stacksNs, 0, "python-stacks", 0, 0));
        } catch (RuntimeException | Error unknown) {
            failure = failure.isEmpty() ? unknown.toString() : failure;
        }
    }

    /**
     * Writes the coverage: recorded and missed events. To be called after {@link #stop}.
     *
     * @param treeCpuNs CPU time, in ns, that the kernel accounts to the command and the descendants it waited for
     *     (wait4(2), rusage)
     */
    public synchronized void writeCoverage(long treeCpuNs) {
        List<String> notes = new ArrayList<>();
        if (!failure.isEmpty()) {
            notes.add("the sampler stopped early: " + failure);
        }
        if (!looks.failures().isEmpty()) {
            notes.add(looks.failures());
        }
        notes.add("sampled every " + millis(meanPeriodNs) + " ms (at most " + millis(longestPeriodNs) + " ms)"
                + (pace.budget() < 1 ? ", limit: " + percent(pace.budget()) + " of a core" : "")
                + "; processes and threads with shorter lives may be missing");
        long missedNs = treeCpuNs - counts.sampledCpuNs;
        if (missedNs > treeCpuNs * WORTH_SAYING) {
            notes.add(
                    String.format(Locale.ROOT, "%.1f ms", missedNs / 1e6)
                            + " of CPU time belongs to processes and threads that ended between two samples, and is not assigned");
        }
        if (counts.unseenChildrenNs > counts.sampledCpuNs * WORTH_SAYING) {
            notes.add(
                    String.format(Locale.ROOT, "%.0f ms", counts.unseenChildrenNs / 1e6)
                            + " of CPU time are of child processes that lived too shortly to be seen, by their parents' counts");
        }
        if (counts.unplacedNs > counts.sampledCpuNs * WORTH_SAYING) {
            notes.add(
                    String.format(Locale.ROOT, "%.1f ms", counts.unplacedNs / 1e6)
                            + " of threads' time on a CPU or waiting for one is not assigned: they waited for longer than intervals are kept");
        }
        if (counts.stolenNs > counts.sampledCpuNs * WORTH_SAYING) {
            notes.add(String.format(Locale.ROOT, "%.1f ms", counts.stolenNs / 1e6)
                    + " that threads lost because the hypervisor took their CPU count as waiting for a CPU");
        }
        int schedstat = system.open("/proc/self/schedstat");
        if (schedstat >= 0) {
            system.close(schedstat);
        } else {
            notes.add("this Linux kernel has no schedstat: how threads spend their time is not known");
        }
        if (counts.hiddenThreads > 0) {
            notes.add(counts.hiddenThreads + " threads could not be read");
        }
        if (counts.hiddenWaits > 0) {
            notes.add("what " + counts.hiddenWaits + " threads waited for could not be read (no ptrace permission)");
        }
        int status = failure.isEmpty() && looks.failures().isEmpty() ? 0 : 2;
        writer.write(new SpoolRecord.Coverage(
                SOURCE, String.join("; ", notes), counts.states, counts.hiddenThreads, 0, status));
    }

    private static String percent(double ratio) {
        long hundredths = Math.round(ratio * 10_000);
        return (hundredths % 100 == 0 ? Long.toString(hundredths / 100) : Double.toString(hundredths / 100.0)) + " %";
    }

    /** Tenths only where they matter. */
    private static String millis(long ns) {
        long tenths = Math.round(ns / 1e5);
        return tenths >= 100 || tenths % 10 == 0 ? Long.toString(Math.round(ns / 1e6)) : Double.toString(tenths / 10.0);
    }

    /** Returns the CPU time that the sampling thread took, in ns. Complete after {@link #stop}. */
    public long cpuNs() {
        return cpuNs;
    }

    /**
     * Returns the difference between the stored intervals and the kernel's counts, in ns. Complete after {@link #stop}.
     */
    public synchronized long unplacedNs() {
        return counts.unplacedNs;
    }

    /** Writes the findings of the process tree. */
    private final class Recording implements ProcessTree.Listener {
        @Override
        public void started(SampledProcess process) {
            counts.processes++;
            if (process.pid == root.pid()) {
                rootProcess = process;
            }
            changed(process);
        }

        @Override
        public void changed(SampledProcess process) {
            stacks.programChanged(process.pid);
            endNatively(process);
            looks.take(IDENTITY, () -> identities.look(process));
            processes.found(process.pid, process.program, process.isPerhapsFork() ? process.parentPid : 0);
            writeProcess(process, 0, 0);
        }

        @Override
        public void ended(SampledProcess process, long endNs) {
            stacks.ended(process.pid);
            endNatively(process);
            process.release(HostSampler.this::sampleOnceMore);
            memory.close(process.pid);
            looks.take(NUMA, () -> numa.finish(process.pid));
            devices.finish(process.pid);
            looks.take(IDENTITY, () -> identities.write(process));
            if (process.pid != root.pid()) {
                writeProcess(process, endNs, 0);
            }
            processes.ended(process.pid);
        }

        @Override
        public void childrenCounted(SampledProcess process) {
            countChildren(process);
        }

        @Override
        public void threadFound(SampledProcess process, int tid, String name, long startNs) {
            SampledThread sampled = sampled(process.pid, tid, startNs);
            counts.threads++;
            counts.hiddenThreads += sampled.isHidden() ? 1 : 0;
            counts.hiddenWaits += sampled.isWaitHidden() ? 1 : 0;
            process.add(sampled);
            writer.write(new SpoolRecord.ThreadName(tid, name, process.pid));
        }
    }

    /** For a thread that is older than the observation, the account begins with the observation. */
    private SampledThread sampled(int pid, int tid, long startNs) {
        if (!root.startsAfter(startNs)) {
            StateAccount account = new StateAccount(lag, startNs, 0, 0, interval -> write(pid, tid, interval));
            return new SampledThread(context, pid, tid, account);
        }
        CounterBaseline before = CounterBaseline.of(system, pid, tid);
        StateAccount account = new StateAccount(
                lag, before.timeNs(), before.cpuNs(), before.runnableNs(), interval -> write(pid, tid, interval));
        SampledThread sampled = new SampledThread(context, pid, tid, account);
        sampled.startAfter(before);
        return sampled;
    }

    private void sampleOnceMore(SampledThread sampled) {
        sampled.sample();
        finish(sampled);
    }

    private void write(int pid, int tid, StateAccount.Interval interval) {
        counts.states++;
        counts.stolenNs += interval.stolenNs;
        WaitCause cause = interval.roomNs() > 0 ? interval.cause : WaitCause.UNKNOWN;
        writer.write(new SpoolRecord.ThreadState(
                interval.startNs,
                interval.endNs,
                interval.onCpuNs,
                interval.runnableNs + interval.stolenNs,
                tid,
                pid,
                cause.reason().ordinal(),
                interval.events.majorFaults(),
                interval.events.minorFaults(),
                interval.events.voluntarySwitches(),
                interval.events.involuntarySwitches(),
                cause.detail(),
                cause.futexAddress(),
                cause.holderTid()));
    }
}
