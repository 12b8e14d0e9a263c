package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.os.PerfEvents.Count;
import io.inferscope.collectors.os.PerfRing;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Perf events of a process tree, as far as permitted: every context switch of every thread, and totals of page faults,
 * cycles, instructions and cache misses. Events are opened for existing threads; later threads and processes inherit
 * them. One ring per CPU holds the switches of all threads.
 *
 * <p>The rights of an ordinary user depend on kernel.perf_event_paranoid: up to 2, switches and user-mode counts of the
 * user's own processes; above 2, nothing. Refused or missing events are reported once, in a COVERAGE record.
 */
final class PerfWatch {
    private static final String SOURCE = "perf";
    private static final int MAX_LOGS = 8192;

    private final OperatingSystem system;
    private final Consumer<SpoolRecord> writer;
    private final boolean wanted;
    private final PerfRings switchRings;
    private final Map<Integer, SwitchLog> logs = new HashMap<>();
    private final Map<Count, List<Integer>> counters = new EnumMap<>(Count.class);
    private final List<Integer> descriptors = new ArrayList<>();
    private final TreeSet<String> problems = new TreeSet<>();
    private final Receiver receiver = new Receiver();
    private long knownNs;
    private long switches;
    private long lost;

    PerfWatch(OperatingSystem system, Consumer<SpoolRecord> writer, boolean wanted) {
        this.system = system;
        this.writer = writer;
        this.wanted = wanted;
        this.switchRings = new PerfRings(system, PerfRings.MAX_EVENTS);
    }

    /** Opens events for the threads that there are now. */
    void open(Iterable<SampledProcess> processes) {
        if (!wanted) {
            return;
        }
        for (SampledProcess process : processes) {
            for (int tid : process.threadIds()) {
                String why = switchRings.open(PerfRings.EVERYONE, tid, PerfEvents::openSwitches);
                if (why != null) {
                    explain("context switches", why);
                }
                openCounters(tid);
            }
        }
    }

    private void openCounters(int tid) {
        for (Count count : Count.values()) {
            int descriptor = PerfEvents.openCount(count, tid, false);
            if (PerfEvents.isRefused(descriptor)) {
                descriptor = PerfEvents.openCount(count, tid, true);
                if (descriptor >= 0) {
                    problems.add("counted in user mode only (kernel.perf_event_paranoid is "
                            + PerfRings.paranoid(system) + ")");
                }
            }
            if (descriptor < 0) {
                explain(count.isHardware() ? "hardware counters" : "page faults", PerfRings.why(system, descriptor));
            } else {
                descriptors.add(descriptor);
                counters.computeIfAbsent(count, c -> new ArrayList<>()).add(descriptor);
            }
        }
    }

    private void explain(String what, String why) {
        if (!why.isEmpty()) {
            problems.add(what + ": " + why);
        }
    }

    /** Reads the rings. */
    void drain() {
        if (!switchRings.isEmpty()) {
            long nowNs = system.monotonicNs();
            switchRings.drain(receiver);
            knownNs = nowNs;
        }
    }

    /** Returns the time up to which all switches are known, CLOCK_MONOTONIC ns. */
    long knownNs() {
        return knownNs;
    }

    /** Returns how many records were lost so far. */
    long lost() {
        return lost;
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
        long nowNs = system.monotonicNs();
        counters.forEach((count, events) -> {
            double total = 0;
            for (int descriptor : events) {
                total += PerfEvents.read(descriptor).scaled();
            }
            writer.accept(
                    new SpoolRecord.Counter(nowNs, total, "perf." + count.name().toLowerCase(Locale.ROOT), 0));
        });
    }

    /** Writes the last totals and what could not be recorded, and closes everything. */
    void finish() {
        if (!wanted) {
            return;
        }
        count();
        switchRings.close();
        descriptors.forEach(system::close);
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
                logs.clear(); // Otherwise threads too short-lived to be found would fill the map.
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
