package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.os.PerfRing;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Samples where threads are on a CPU: the instruction and its callers, in user mode and, if permitted, in the kernel.
 * The kernel takes the samples, without stopping a thread: of programs without Python as their CPU time passes, and of
 * threads that run Python {@link NativeSamples#ask at the moments} at which their stacks are read.
 */
final class NativeWatch {
    private static final String SOURCE = "native-stacks";

    private static final int MOST_HZ = 1000;
    private static final long SECOND_NS = 1_000_000_000L;

    private final OperatingSystem system;
    private final Consumer<SpoolRecord> writer;
    private final PerfRings rings;
    private final SamplesOnDemand onDemand;
    private final boolean answers;
    private final long periodNs;
    private final NativeSamples samples = new NativeSamples(this);
    private final TreeSet<String> problems = new TreeSet<>();
    private final Receiver receiver = new Receiver(true);
    private final Receiver onDemandReceiver = new Receiver(false);
    private final Runnable reading = this::read;
    private boolean userOnly;

    /** Whether samples were wanted, and whether any could be taken. */
    private boolean wanted;

    private boolean any;

    /** Whether the kernel cannot keep events to one program: before Linux 5.13. Then its children inherit them. */
    private boolean isOld;

    private long taken;
    private long lost;

    /** {@code answers}: whether {@link #ask} is answered. */
    NativeWatch(
            OperatingSystem system, Consumer<SpoolRecord> writer, int sampleRateHz, PerfRings rings, boolean answers) {
        this.system = system;
        this.writer = writer;
        this.rings = rings;
        this.answers = answers;
        wanted = answers;
        periodNs = SECOND_NS / Math.min(MOST_HZ, sampleRateHz);
        onDemand = new SamplesOnDemand(
                system, (tid, ns) -> open(inUserMode -> PerfEvents.openSamplesOnDemand(tid, ns, inUserMode)));
    }

    /**
     * Opens events for the threads of a process whose stacks no other recorder reads; its later threads inherit them,
     * other processes do not.
     */
    void openProgram(SampledProcess process) {
        wanted = true;
        for (int tid : process.threadIds()) {
            tell(rings.open(process.pid, tid, this::openOfProgram));
        }
        any |= !rings.isEmpty();
    }

    /** Closes the events of {@link #openProgram}. */
    void closeProgram(int pid) {
        rings.close(pid);
    }

    /** See {@link NativeSamples#ask}. */
    void ask(int tid) {
        if (answers) {
            tell(onDemand.ask(tid));
        }
    }

    /** See {@link NativeSamples#collect}. */
    void collect() {
        int before = samples.count();
        onDemand.collect(onDemandReceiver);
        taken += samples.count() - before;
    }

    boolean isKernelRecorded(int tid) {
        return !userOnly && onDemand.has(tid);
    }

    /** Lets go of a thread that has ended. */
    void forget(int tid) {
        onDemand.forget(tid);
    }

    /** Takes no samples until told otherwise. */
    void pause(boolean paused) {
        rings.forEach(paused ? PerfEvents::disable : PerfEvents::enable);
    }

    private void tell(@Nullable String why) {
        if (why != null && !why.isEmpty()) {
            problems.add(why);
        }
    }

    private int openOfProgram(int tid, int cpu) {
        int descriptor = isOld
                ? -PerfRings.INVALID
                : open(inUserMode -> PerfEvents.openSamplesOfProgram(tid, cpu, periodNs, inUserMode));
        isOld |= descriptor == -PerfRings.INVALID;
        return isOld ? open(inUserMode -> PerfEvents.openSamples(tid, cpu, periodNs, inUserMode)) : descriptor;
    }

    /** Opens an event with all that is permitted: in user mode only, if need be. */
    private int open(Opener opener) {
        int descriptor = userOnly ? -1 : opener.open(false);
        if (userOnly || PerfEvents.isRefused(descriptor)) {
            descriptor = opener.open(true);
            if (descriptor >= 0 && !userOnly) {
                userOnly = true;
                problems.add("in user mode only (kernel.perf_event_paranoid is " + PerfRings.paranoid(system)
                        + "): causes of time in the system's kernel are estimated");
            }
        }
        any |= descriptor >= 0;
        return descriptor;
    }

    private interface Opener {
        int open(boolean inUserMode);
    }

    /** Begins a round of sampling. Returns its samples, valid until the next call; there are none yet. */
    NativeSamples take() {
        samples.begin(rings.isEmpty() ? null : reading);
        return samples;
    }

    private void read() {
        int before = samples.count();
        rings.drain(receiver);
        taken += samples.count() - before;
    }

    /** Writes coverage and closes everything; does nothing if no native samples were wanted. */
    void finish() {
        if (!wanted) {
            return;
        }
        rings.close();
        onDemand.close();
        String why = String.join("; ", problems);
        if (!any && !problems.isEmpty()) {
            why += answers
                    ? ": what runs beneath Python is known by library only (set kernel.perf_event_paranoid to 1, or let the sandbox allow perf_event_open)"
                    : ": stacks of programs without Python are missing (" + remedy() + ")";
        }
        int status = !problems.isEmpty() ? 2 : any ? 0 : 1; // Statuses of docs/spool-format.md.
        writer.accept(new SpoolRecord.Coverage(SOURCE, why, taken, lost, 0, status));
    }

    /** The setting that lets a user sample programs of their own: level 2 or less. */
    private String remedy() {
        boolean isStrict = PerfRings.paranoid(system).matches("[3-9]|\\d\\d+");
        return isStrict ? "set kernel.perf_event_paranoid to 2" : "let the sandbox allow perf_event_open";
    }

    private final class Receiver implements PerfRing.Sink {
        private final boolean countsLost;

        /** {@code countsLost}: whether samples are missing where a ring was full. */
        Receiver(boolean countsLost) {
            this.countsLost = countsLost;
        }

        @Override
        public void sampled(int pid, int tid, long timeNs, long[] chain, int length) {
            if (tid > 0) {
                samples.add(pid, tid, timeNs, chain, length);
            }
        }

        @Override
        public void lost(long records) {
            lost += countsLost ? records : 0;
        }
    }
}
