package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.procfs.Cgroup;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.Topology;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Records once a second the processes' memory, the number of CPUs on which they may run, and the limits of their
 * control group. Totals count from the start of the recording. A counter that stays 0 is not written.
 */
final class MemoryWatch {
    private static final long BYTES_PER_KB = 1024;

    /**
     * The CPUs on which the kernel may run the process' main thread (sched_setaffinity(2), cpuset), in its "status".
     */
    private static final String ALLOWED = "Cpus_allowed_list:";

    private final OperatingSystem system;
    private final Consumer<SpoolRecord> writer;
    private final ProcFiles files;
    private Cgroup group;
    private Cgroup.Counts atStart = Cgroup.Counts.NONE;
    private Cgroup.Counts last = Cgroup.Counts.NONE;

    /** User, nice, system, irq and softirq of the first line of /proc/stat: idle and waiting for I/O are left out. */
    private static final int[] BUSY = {0, 1, 2, 5, 6};

    private static final int STEAL = 7;
    private static final long STAT_TICK_NS = 10_000_000L; // USER_HZ is 100 on all architectures with 64 bits.

    private long busyAtStart = -1;
    private long stolenAtStart;

    MemoryWatch(OperatingSystem system, Consumer<SpoolRecord> writer) {
        this.system = system;
        this.writer = writer;
        files = new ProcFiles(system);
        group = Cgroup.none(files);
    }

    /** Reads the control group of the process that the recording starts from, and notes its limits. */
    void begin(int rootPid) {
        group = Cgroup.of(files, rootPid);
        readCpus(system.monotonicNs());
        atStart = group.counts();
        last = atStart;
        long limitBytes = group.memoryLimitBytes();
        if (limitBytes != Long.MAX_VALUE) {
            note("host.cgroup.memory_limit_bytes", Long.toString(limitBytes));
        }
        double cpus = group.cpuLimit();
        if (!Double.isInfinite(cpus)) {
            note("host.cgroup.cpu_limit_cores", String.format(Locale.ROOT, "%.2f", cpus));
        }
    }

    private void note(String key, String value) {
        writer.accept(new SpoolRecord.Note(key, value, 0));
    }

    /** Takes the readings of this second. */
    void read(Collection<SampledProcess> processes) {
        long nowNs = system.monotonicNs();
        for (SampledProcess process : processes) {
            read(process, nowNs);
        }
        Cgroup.Counts now = group.counts();
        count(nowNs, "host.cgroup_memory_bytes", now.memoryBytes(), 0);
        countNew(nowNs, "host.cgroup_throttled_ns", now.throttledNs(), atStart.throttledNs(), last.throttledNs());
        countNew(
                nowNs,
                "host.cgroup_throttled_periods",
                now.throttledPeriods(),
                atStart.throttledPeriods(),
                last.throttledPeriods());
        countNew(nowNs, "host.cgroup_oom_kills", now.oomKills(), atStart.oomKills(), last.oomKills());
        countNew(nowNs, "host.cpu_pressure_ns", now.cpuPressureNs(), atStart.cpuPressureNs(), last.cpuPressureNs());
        countNew(
                nowNs,
                "host.memory_pressure_ns",
                now.memoryPressureNs(),
                atStart.memoryPressureNs(),
                last.memoryPressureNs());
        last = now;
        readCpus(nowNs);
    }

    /** Counts what all programs together used of the machine's CPUs, and what a hypervisor took (proc(5), stat). */
    private void readCpus(long nowNs) {
        String[] words = files.lines("/proc/stat").stream()
                .filter(line -> line.startsWith("cpu "))
                .findFirst()
                .map(line -> line.substring("cpu".length()).trim().split(" +", -1))
                .orElse(new String[0]);
        if (words.length <= STEAL) {
            return;
        }
        long busy = 0;
        for (int i : BUSY) {
            busy += Long.parseLong(words[i]);
        }
        if (busyAtStart < 0) {
            busyAtStart = busy;
            stolenAtStart = Long.parseLong(words[STEAL]);
        }
        writer.accept(new SpoolRecord.Counter(nowNs, (busy - busyAtStart) * STAT_TICK_NS, "host.cpu_busy_ns", 0));
        countNew(
                nowNs,
                "host.cpu_stolen_ns",
                Long.parseLong(words[STEAL]) * STAT_TICK_NS,
                stolenAtStart * STAT_TICK_NS,
                -1);
    }

    private void read(SampledProcess process, long nowNs) {
        for (String line : files.lines("/proc/" + process.pid + "/status")) {
            if (line.startsWith("VmRSS:")) {
                count(nowNs, "host.rss_bytes", kilobytes(line), process.pid);
            } else if (line.startsWith("VmSwap:")) {
                long swapBytes = kilobytes(line);
                if (swapBytes > 0 || process.swapBytes > 0) {
                    count(nowNs, "host.swap_bytes", swapBytes, process.pid);
                }
                process.swapBytes = swapBytes;
            } else if (line.startsWith(ALLOWED)) {
                cpus(process, Topology.cpus(line.substring(ALLOWED.length())).cardinality());
                return; // The later lines are not needed.
            }
        }
    }

    private void cpus(SampledProcess process, int cpus) {
        if (cpus != process.cpus) {
            process.cpus = cpus;
            writer.accept(new SpoolRecord.Note("host.cpus", Integer.toString(cpus), process.pid));
        }
    }

    private static long kilobytes(String line) {
        String number = line.substring(line.indexOf(':') + 1).replace("kB", "").trim();
        return Long.parseLong(number) * BYTES_PER_KB;
    }

    private void countNew(long nowNs, String name, long total, long start, long before) {
        if (total != before) {
            count(nowNs, name, total - start, 0);
        }
    }

    private void count(long nowNs, String name, long value, int pid) {
        if (value > 0 || pid != 0) {
            writer.accept(new SpoolRecord.Counter(nowNs, value, name, pid));
        }
    }

    /** Notes the total cost of the limits. */
    void finish() {
        readCpus(system.monotonicNs());
        Cgroup.Counts now = group.counts();
        long throttled = now.throttledPeriods() - atStart.throttledPeriods();
        if (throttled > 0) {
            note(
                    "host.cgroup.throttled",
                    String.format(
                            Locale.ROOT,
                            "%d of %d periods, %.3f s",
                            throttled,
                            now.periods() - atStart.periods(),
                            (now.throttledNs() - atStart.throttledNs()) / 1e9));
        }
        long kills = now.oomKills() - atStart.oomKills();
        if (kills > 0) {
            note("host.cgroup.oom_kills", Long.toString(kills));
        }
    }
}
