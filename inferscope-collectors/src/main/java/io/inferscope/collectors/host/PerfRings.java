package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.os.PerfRing;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.Topology;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Events of one kind, opened for each thread on each CPU, because only such events are inherited; all of a CPU's events
 * record into one ring.
 */
final class PerfRings {
    private static final int RING_BYTES = 256 * 1024;

    /** Owner of events that stay open until the end. */
    static final int EVERYONE = 0;

    static final String NO_MEMORY = "no memory for the ring (kernel.perf_event_mlock_kb)";

    static final int INVALID = 22; // EINVAL: an attribute that this kernel does not know

    /** Most events opened, because each takes a descriptor. */
    static final int MAX_EVENTS = 4096;

    private final OperatingSystem system;
    private final int maxEvents;
    private final BitSet cpus;
    private final Map<Integer, PerfRing> rings = new HashMap<>();
    private final Map<Integer, Integer> ringDescriptors = new HashMap<>();
    private int descriptors;

    /** By what they were opened for. */
    private final Map<Integer, List<Integer>> ofOwners = new HashMap<>();

    /** Opens an event; returns its descriptor or {@code -errno}. */
    interface Opener {
        int open(int tid, int cpu);
    }

    PerfRings(OperatingSystem system, int maxEvents) {
        this.system = system;
        this.maxEvents = maxEvents;
        cpus = Topology.cpus(
                new ProcFiles(system).text("/sys/devices/system/cpu/online").trim());
    }

    /**
     * Opens the events of a thread. Returns the reason for a COVERAGE record if this fails, otherwise null.
     *
     * @param owner what they are opened for, as {@link #close(int)} is told: the id of a process, or {@link #EVERYONE}
     */
    @Nullable
    String open(int owner, int tid, Opener opener) {
        if (descriptors + cpus.cardinality() > maxEvents) {
            return "too many threads and CPUs for one event each: some threads have none";
        }
        for (int cpu = cpus.nextSetBit(0); cpu >= 0; cpu = cpus.nextSetBit(cpu + 1)) {
            int descriptor = opener.open(tid, cpu);
            if (descriptor < 0) {
                return why(system, descriptor);
            }
            ofOwners.computeIfAbsent(owner, o -> new ArrayList<>()).add(descriptor);
            descriptors++;
            if (rings.containsKey(cpu)) {
                int error = PerfEvents.redirect(descriptor, ringDescriptors.getOrDefault(cpu, -1));
                if (error < 0) {
                    return "thread " + tid + ": " + why(system, error);
                }
                continue;
            }
            PerfRing ring = PerfRing.map(descriptor, RING_BYTES);
            if (ring == null) {
                return NO_MEMORY;
            }
            rings.put(cpu, ring);
            ringDescriptors.put(cpu, descriptor);
        }
        return null;
    }

    boolean isEmpty() {
        return rings.isEmpty();
    }

    /** Passes the records of the rings: {@link PerfRing#drain}. */
    void drain(PerfRing.Sink sink) {
        rings.values().forEach(ring -> ring.drain(sink));
    }

    /** Passes the descriptors of all events. */
    void forEach(IntConsumer action) {
        ofOwners.values().forEach(opened -> opened.forEach(action::accept));
    }

    /** Closes the events of an owner, but for those that others record into. */
    void close(int owner) {
        List<Integer> opened = ofOwners.remove(owner);
        if (opened != null) {
            List<Integer> kept = new ArrayList<>(opened);
            kept.retainAll(ringDescriptors.values());
            ofOwners.computeIfAbsent(EVERYONE, o -> new ArrayList<>()).addAll(kept);
            opened.removeAll(kept);
            opened.forEach(system::close);
            descriptors -= opened.size();
        }
    }

    void close() {
        rings.values().forEach(PerfRing::close);
        rings.clear();
        ofOwners.values().forEach(opened -> opened.forEach(system::close));
        ofOwners.clear();
        descriptors = 0;
    }

    /** Numbers: asm-generic/errno.h. Returns an empty text if the thread has ended, which is not a failure. */
    static String why(OperatingSystem system, int error) {
        return switch (-error) {
            case 1, 13 -> "not permitted (kernel.perf_event_paranoid is " + paranoid(system) + ")";
            case 2, 19, 95 -> "this machine has none";
            case 3 -> "";
            case INVALID -> "this kernel has none (before Linux 4.3)";
            case 24 -> "too many open files (ulimit -n)";
            case 38 -> "this kernel has no perf events, or a sandbox refuses them";
            default -> "error " + -error;
        };
    }

    static String paranoid(OperatingSystem system) {
        String level = new ProcFiles(system)
                .text("/proc/sys/kernel/perf_event_paranoid")
                .trim();
        return level.isEmpty() ? "unknown" : level;
    }
}
