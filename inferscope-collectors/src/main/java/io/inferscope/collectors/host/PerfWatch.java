package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.os.PerfEvents.Count;
import io.inferscope.collectors.os.PerfRing;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.Topology;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Perf events of a process tree, as far as they are permitted: every switch of every thread onto a CPU and off it, and totals of page
 * faults, cycles, instructions and cache misses. Events are opened for the threads there are; all they make later inherits them. One
 * ring per CPU holds the switches of all threads.
 *
 * <p>What an ordinary user may do depends on kernel.perf_event_paranoid: up to 2 switches and user-mode counts of one's own processes,
 * above that nothing. What is refused or not there is said once, in a COVERAGE record.
 */
final class PerfWatch {
    private static final String SOURCE = "perf";
    private static final int RING_BYTES = 128 * 1024;
    private static final int MAX_EVENTS = 4096;
    private static final int MAX_LOGS = 8192;

    private final Kernel kernel;
    private final Consumer<SpoolRecord> writer;
    private final boolean wanted;
    private final Map<Integer, PerfRing> rings = new HashMap<>();
    private final Map<Integer, Integer> ringDescriptors = new HashMap<>();
    private final Map<Integer, SwitchLog> logs = new HashMap<>();
    private final Map<Count, List<Integer>> counters = new EnumMap<>(Count.class);
    private final List<Integer> descriptors = new ArrayList<>();
    private final TreeSet<String> problems = new TreeSet<>();
    private final Receiver receiver = new Receiver();
    private long knownNs;
    private long switches;
    private long lost;

    PerfWatch(Kernel kernel, Consumer<SpoolRecord> writer, boolean wanted) {
        this.kernel = kernel;
        this.writer = writer;
        this.wanted = wanted;
    }

    /** Opens events for the threads that there are now. */
    void open(Iterable<SampledProcess> processes) {
        if (!wanted) {
            return;
        }
        BitSet cpus = Topology.cpus(
                new ProcFiles(kernel).text("/sys/devices/system/cpu/online").trim());
        for (SampledProcess process : processes) {
            for (int tid : process.threadIds()) {
                if (descriptors.size() + cpus.cardinality() + Count.values().length > MAX_EVENTS) {
                    problems.add(
                            "too many threads and CPUs for one event each: switches of some threads are not recorded");
                    return;
                }
                openSwitches(tid, cpus);
                openCounters(tid);
            }
        }
    }

    private void openSwitches(int tid, BitSet cpus) {
        for (int cpu = cpus.nextSetBit(0); cpu >= 0; cpu = cpus.nextSetBit(cpu + 1)) {
            int descriptor = PerfEvents.openSwitches(tid, cpu);
            if (descriptor < 0) {
                explain("context switches", descriptor);
                return;
            }
            descriptors.add(descriptor);
            if (rings.containsKey(cpu)) {
                int error = PerfEvents.redirect(descriptor, ringDescriptors.getOrDefault(cpu, -1));
                if (error < 0) {
                    explain("context switches of thread " + tid, error);
                }
                continue;
            }
            PerfRing ring = PerfRing.map(descriptor, RING_BYTES);
            if (ring == null) {
                problems.add("context switches: no memory for the ring (kernel.perf_event_mlock_kb)");
                return;
            }
            rings.put(cpu, ring);
            ringDescriptors.put(cpu, descriptor);
        }
    }

    private void openCounters(int tid) {
        for (Count count : Count.values()) {
            int descriptor = PerfEvents.openCount(count, tid, false);
            if (PerfEvents.isRefused(descriptor)) {
                descriptor = PerfEvents.openCount(count, tid, true);
                if (descriptor >= 0) {
                    problems.add("counted in user mode only (kernel.perf_event_paranoid is " + paranoid() + ")");
                }
            }
            if (descriptor < 0) {
                explain(count.isHardware() ? "hardware counters" : "page faults", descriptor);
            } else {
                descriptors.add(descriptor);
                counters.computeIfAbsent(count, c -> new ArrayList<>()).add(descriptor);
            }
        }
    }

    /** Numbers: asm-generic/errno.h. */
    private void explain(String what, int error) {
        String why = switch (-error) {
            case 1, 13 -> "not permitted (kernel.perf_event_paranoid is " + paranoid() + ")";
            case 2, 19, 95 -> "this machine has none";
            case 3 -> ""; // The thread has ended meanwhile.
            case 22 -> "this kernel has none (before Linux 4.3)";
            case 24 -> "too many open files (ulimit -n)";
            case 38 -> "this kernel has no perf events";
            default -> "error " + -error;
        };
        if (!why.isEmpty()) {
            problems.add(what + ": " + why);
        }
    }

    private String paranoid() {
        String level = new ProcFiles(kernel)
                .text("/proc/sys/kernel/perf_event_paranoid")
                .trim();
        return level.isEmpty() ? "unknown" : level;
    }

    /** Takes what the rings hold. */
    void drain() {
        if (!rings.isEmpty()) {
            long nowNs = kernel.monotonicNs();
            rings.values().forEach(ring -> ring.drain(receiver));
            knownNs = nowNs;
        }
    }

    /** Returns up to when all switches are known, CLOCK_MONOTONIC. */
    long knownNs() {
        return knownNs;
    }

    /** Returns the switches of a thread, null when none were seen. */
    @Nullable
    SwitchLog log(int tid) {
        return logs.isEmpty() ? null : logs.get(tid);
    }

    /** Lets go of a thread that has ended. */
    void forget(int tid) {
        logs.remove(tid);
    }

    /** Writes the counters' totals, once a second. */
    void count() {
        long nowNs = kernel.monotonicNs();
        counters.forEach((count, events) -> {
            double total = 0;
            for (int descriptor : events) {
                total += PerfEvents.read(descriptor).scaled();
            }
            writer.accept(
                    new SpoolRecord.Counter(nowNs, total, "perf." + count.name().toLowerCase(Locale.ROOT), 0));
        });
    }

    /** Writes the last totals and what was not to be had, and closes everything. */
    void finish() {
        if (!wanted) {
            return;
        }
        count();
        rings.values().forEach(PerfRing::close);
        rings.clear();
        descriptors.forEach(kernel::close);
        descriptors.clear();
        counters.clear();
        int status = switches == 0 && !problems.isEmpty() ? 2 : 0;
        writer.accept(new SpoolRecord.Coverage(SOURCE, String.join("; ", problems), switches, lost, 0, status));
    }

    /** Sorts switches by thread. */
    private final class Receiver implements PerfRing.Sink {
        @Override
        public void switched(int tid, long timeNs, boolean on, boolean preempted) {
            if (logs.size() >= MAX_LOGS && !logs.containsKey(tid)) {
                logs.clear(); // Threads too short-lived to have been found fill it up.
            }
            if (tid > 0) {
                switches++;
                lost += logs.computeIfAbsent(tid, t -> new SwitchLog()).add(timeNs, on, preempted) ? 0 : 1;
            }
        }

        @Override
        public void lost(long records) {
            lost += records;
        }
    }
}
