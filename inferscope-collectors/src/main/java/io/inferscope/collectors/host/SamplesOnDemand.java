package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.os.PerfRing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Samples of threads at moments that the caller chooses: a thread's event is enabled for some 0.1 ms, in which
 * it samples the thread if that is on a CPU. So a sample and what is read of the thread at that moment belong together,
 * and a program pays for no other samples: in a virtual machine, each takes 40 us of the program's time.
 *
 * <pre>
 *   this thread     ask --------- reads the thread's memory ---- collect
 *   the event           enabled .. first sample ......... disabled
 * </pre>
 *
 * <p>The kernel can also disable an event itself after a number of samples (PERF_EVENT_IOC_REFRESH). Linux 6.16 and 6.17
 * hang where it does so in a timer, which is how CPU clocks sample (async-profiler's issue 1578): it is not used.
 */
final class SamplesOnDemand {
    /**
     * From enabling to the first sample at most, and from one to the next; samples after the first are of no use. The
     * kernel goes on where it was, so that the first one comes after 60 us on average. With 30 us, a thread that had just
     * been put back on a CPU was seen too often at its first instructions: 14 instead of 4 % in memcpy.
     */
    private static final long PERIOD_NS = 120_000;

    /** Room for some 7 samples. */
    private static final int RING_BYTES = 8 * 1024;

    /** Longest time for which threads are asked in a round. Where asking takes long, some wait for another round. */
    private static final long LONGEST_ASKING_NS = 300_000;

    private static final long LONGEST_WAIT_NS = 150_000;

    /**
     * Where this thread has taken the CPU of a thread that it asks, it lets go of the CPU for this long: then the other
     * one goes on, from where its stack was read.
     */
    private static final long PAUSE_NS = 100_000;

    private final OperatingSystem system;
    private final Opener opener;
    private final Map<Integer, Event> events = new HashMap<>();
    private final Set<Integer> refused = new HashSet<>();
    private final List<Event> asked = new ArrayList<>();
    private long firstNs;
    private long lastNs;

    /** Opens an event; returns its descriptor or {@code -errno}. */
    interface Opener {
        int open(int tid, long periodNs);
    }

    private record Event(int descriptor, PerfRing ring) {}

    SamplesOnDemand(OperatingSystem system, Opener opener) {
        this.system = system;
        this.opener = opener;
    }

    /**
     * Asks for a sample of a thread. Returns the reason for a COVERAGE record if its event cannot be opened, empty if the
     * thread has ended, otherwise null.
     */
    @Nullable
    String ask(int tid) {
        long nowNs = system.monotonicNs();
        if (asked.isEmpty()) {
            firstNs = nowNs;
        } else if (nowNs - firstNs > LONGEST_ASKING_NS) {
            return null;
        }
        Event event = events.get(tid);
        if (event == null && !refused.contains(tid)) {
            int descriptor = opener.open(tid, PERIOD_NS);
            PerfRing ring = descriptor < 0 ? null : PerfRing.map(descriptor, RING_BYTES);
            if (ring == null) {
                refused.add(tid);
                return descriptor < 0 ? PerfRings.why(system, descriptor) : unmapped(descriptor);
            }
            event = new Event(descriptor, ring);
            events.put(tid, event);
        }
        if (event != null) {
            PerfEvents.enable(event.descriptor);
            lastNs = system.monotonicNs();
            asked.add(event);
        }
        return null;
    }

    private String unmapped(int descriptor) {
        system.close(descriptor);
        return PerfRings.NO_MEMORY;
    }

    /**
     * Passes the samples that were asked for, and ends the asking. Until they are there this thread only waits: where two
     * CPUs share a core, its work would slow the other thread, the interpreter more than a matrix product, whose share was
     * 3 points too small.
     */
    void collect(PerfRing.Sink sink) {
        while (!allAnswered() && system.monotonicNs() - lastNs < LONGEST_WAIT_NS) {
            Thread.onSpinWait();
        }
        if (!allAnswered()) {
            system.sleep(PAUSE_NS);
        }
        for (Event event : asked) {
            PerfEvents.disable(event.descriptor);
            event.ring.drain(sink);
        }
        asked.clear();
    }

    private boolean allAnswered() {
        for (int i = 0; i < asked.size(); i++) {
            if (!asked.get(i).ring.hasRecords()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether samples of a thread can be asked for. */
    boolean has(int tid) {
        return events.containsKey(tid);
    }

    /** Closes the event of a thread that has ended. */
    void forget(int tid) {
        Event event = events.remove(tid);
        refused.remove(tid);
        if (event != null) {
            asked.remove(event);
            event.ring.close();
            system.close(event.descriptor);
        }
    }

    void close() {
        List.copyOf(events.keySet()).forEach(this::forget);
    }
}
