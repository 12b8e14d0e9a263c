package io.inferscope.collectors.host;

import io.inferscope.collectors.os.Kernel;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.os.PerfRing;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Samples where every thread of a process tree is on a CPU: the instruction and its callers, in user mode and, if
 * permitted, in the kernel. The kernel samples each thread by its CPU time, without stopping it; a waiting thread costs
 * nothing.
 */
final class NativeWatch {
    private static final String SOURCE = "native-stacks";

    private static final int MOST_HZ = 1000;
    private static final long SECOND_NS = 1_000_000_000L;

    private final Kernel kernel;
    private final Consumer<SpoolRecord> writer;
    private final PerfRings rings;
    private final long periodNs;
    private final NativeSamples samples = new NativeSamples();
    private final TreeSet<String> problems = new TreeSet<>();
    private final Receiver receiver = new Receiver();
    private final Runnable reading = this::read;
    private boolean userOnly;

    /** Whether all processes are recorded, and not only {@link #openProgram those that run neither Python nor Java}. */
    private boolean all;

    private boolean asked;

    /** Whether the kernel cannot keep events to one program: before Linux 5.13. */
    private boolean isTooOld;

    private long taken;
    private long lost;

    NativeWatch(Kernel kernel, Consumer<SpoolRecord> writer, int sampleRateHz, PerfRings rings) {
        this.kernel = kernel;
        this.writer = writer;
        this.rings = rings;
        periodNs = SECOND_NS / Math.min(MOST_HZ, sampleRateHz);
    }

    /** Opens events for the existing threads; later threads and processes inherit them. */
    void open(Iterable<SampledProcess> processes) {
        all = true;
        asked = true;
        samples.recordAll(true);
        for (SampledProcess process : processes) {
            process.threadIds().forEach(tid -> record(PerfRings.EVERYONE, tid));
        }
    }

    /**
     * Opens events for the threads of a process whose stacks no other recorder reads; its later threads inherit them,
     * other processes do not. Does nothing if all are recorded anyway.
     */
    void openProgram(SampledProcess process) {
        if (!all) {
            asked = true;
            process.threadIds().forEach(tid -> record(process.pid, tid));
        }
    }

    /** Closes the events of {@link #openProgram}. */
    void closeProgram(int pid) {
        rings.close(pid);
    }

    /** Opens the events of a thread, for a process or {@link PerfRings#EVERYONE}. */
    void record(int owner, int tid) {
        String why = isTooOld ? "" : rings.open(owner, tid, this::open);
        if (why == null) {
            samples.record(tid);
        } else if (!why.isEmpty() && !isTooOld) {
            samples.recordAll(false);
            problems.add(why);
        }
    }

    private int open(int tid, int cpu) {
        int descriptor = userOnly ? -1 : open(tid, cpu, false);
        if (userOnly || PerfEvents.isRefused(descriptor)) {
            descriptor = open(tid, cpu, true);
            if (descriptor >= 0 && !userOnly) {
                userOnly = true;
                samples.recordKernel(false);
                problems.add("in user mode only (kernel.perf_event_paranoid is " + PerfRings.paranoid(kernel)
                        + "): causes of time in the kernel are estimated");
            }
        }
        return descriptor;
    }

    private int open(int tid, int cpu, boolean inUserMode) {
        if (all) { // As often as possible: the sample nearest to it is joined with a Python stack.
            return PerfEvents.openSamples(tid, cpu, SECOND_NS / MOST_HZ, inUserMode);
        }
        int descriptor = PerfEvents.openSamplesOfProgram(tid, cpu, periodNs, inUserMode);
        isTooOld |= descriptor == -PerfRings.INVALID;
        return descriptor;
    }

    /**
     * Returns the samples since the last call, which are read by {@link NativeSamples#takeNow}; valid until the next
     * call. If all processes are recorded, each thread's oldest and newest ones are enough: for the Python stack that was
     * read last, and the one that is read next.
     */
    NativeSamples take() {
        samples.begin(rings.isEmpty() ? null : reading);
        return samples;
    }

    private void read() {
        rings.drain(receiver, all);
        taken += samples.count();
    }

    /** Writes coverage and closes everything; does nothing if no native samples were wanted. */
    void finish() {
        if (!asked) {
            return;
        }
        boolean none = rings.isEmpty();
        rings.close();
        if (isTooOld) {
            problems.add("stacks of programs without Python are missing: --native records them before Linux 5.13");
        }
        String why = String.join("; ", problems);
        if (none && !problems.isEmpty() && !isTooOld) {
            why += all
                    ? ": what runs beneath Python is known by library only (set kernel.perf_event_paranoid to 1, or let the sandbox allow perf_event_open)"
                    : ": stacks of programs without Python are missing (" + remedy() + ")";
        }
        int status = !problems.isEmpty() ? 2 : none ? 1 : 0; // Statuses of docs/spool-format.md.
        writer.accept(new SpoolRecord.Coverage(SOURCE, why, taken, lost, 0, status));
    }

    /** The setting that lets a user sample programs of their own: level 2 or less. */
    private String remedy() {
        boolean isStrict = PerfRings.paranoid(kernel).matches("[3-9]|\\d\\d+");
        return isStrict ? "set kernel.perf_event_paranoid to 2" : "let the sandbox allow perf_event_open";
    }

    private final class Receiver implements PerfRing.Sink {
        @Override
        public void sampled(int pid, int tid, long timeNs, long[] chain, int length) {
            if (tid > 0) {
                samples.add(pid, tid, timeNs, chain, length);
            }
        }

        @Override
        public void lost(long records) {
            lost += records;
        }
    }
}
