package io.inferscope.collectors.os;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The needed part of perf_event_open(2). Layout and numbers: include/uapi/linux/perf_event.h (PERF_ATTR_SIZE_VER5,
 * Linux 4.1) and the system-call tables of x86-64 and aarch64. Failures are {@code -errno}.
 */
public final class PerfEvents {
    /** {@code -errno} for "not permitted": kernel.perf_event_paranoid, or seccomp (EPERM, EACCES). */
    private static final int EPERM = -1;

    private static final int EACCES = -13;
    private static final int ATTRIBUTE_BYTES = 112;
    private static final long OPEN = Platform.isARM() ? 241 : 298;
    private static final long CLOSE_ON_EXEC = 8; // PERF_FLAG_FD_CLOEXEC
    private static final long ENABLE = 0x2400; // PERF_EVENT_IOC_ENABLE
    private static final long DISABLE = 0x2401; // PERF_EVENT_IOC_DISABLE
    private static final long SET_OUTPUT = 0x2405; // PERF_EVENT_IOC_SET_OUTPUT
    private static final int SOFTWARE = 1; // PERF_TYPE_SOFTWARE
    private static final int CPU_CLOCK = 0; // PERF_COUNT_SW_CPU_CLOCK
    private static final int DUMMY = 9; // PERF_COUNT_SW_DUMMY
    private static final long DISABLED = 1L; // Bits of struct perf_event_attr, in the order of their declaration.
    private static final long INHERIT = 1L << 1;
    private static final long EXCLUDE_KERNEL = 1L << 5;
    private static final long EXCLUDE_HYPERVISOR = 1L << 6;
    private static final long SAMPLE_ID_ALL = 1L << 18;
    private static final long USE_CLOCK_ID = 1L << 25;
    private static final long CONTEXT_SWITCH = 1L << 26;
    private static final long INHERIT_THREAD = 1L << 35; // Linux 5.13, as the next one
    private static final long REMOVE_ON_EXEC = 1L << 36;
    private static final long SAMPLE_TID_TIME = 1 << 1 | 1 << 2; // PERF_SAMPLE_TID, PERF_SAMPLE_TIME
    private static final long SAMPLE_CHAIN =
            1 << 5; // PERF_SAMPLE_CALLCHAIN; its first address is that of the instruction
    private static final long SAMPLE_STACK = 1 << 13; // PERF_SAMPLE_STACK_USER
    private static final int STACK_BYTES = 512;
    private static final long READ_TIMES = 1 | 2; // PERF_FORMAT_TOTAL_TIME_ENABLED, _RUNNING
    private static final int CLOCK_MONOTONIC = 1;

    private PerfEvents() {}

    /** Counters over a process tree. */
    public enum Count {
        /** CPU cycles. */
        CYCLES(0, 0),
        /** Instructions retired. */
        INSTRUCTIONS(0, 1),
        /** Misses of the last cache level. */
        CACHE_MISSES(0, 3),
        /** Page faults of both kinds. */
        PAGE_FAULTS(SOFTWARE, 2),
        /** Page faults that read from a device. */
        MAJOR_FAULTS(SOFTWARE, 6);

        private final int type;
        private final int config;

        Count(int type, int config) {
            this.type = type;
            this.config = config;
        }

        /** Returns whether the counter is the processor's, which virtual machines often lack. */
        public boolean isHardware() {
            return type == 0;
        }
    }

    /**
     * A counter's value, with the times for which it was enabled and actually counted: hardware counters are
     * multiplexed.
     */
    public record Reading(long value, long enabledNs, long runningNs) {
        /** Returns the value scaled to the whole enabled time. */
        public double scaled() {
            return runningNs == 0 ? 0 : value * ((double) enabledNs / runningNs);
        }
    }

    /** Returns whether an error means that permission is missing. */
    public static boolean isRefused(int error) {
        return error == EPERM || error == EACCES;
    }

    /** Opens a counter for a thread and all threads and processes that it starts from now on. */
    public static int openCount(Count count, int tid, boolean userOnly) {
        long flags = INHERIT | (userOnly ? EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR : 0);
        return open(count.type, count.config, 0, flags, 0, tid, -1);
    }

    /**
     * Records when a thread, and all threads and processes that it starts from now on, gets on and off one CPU.
     * Restricted to user mode, which needs fewer permissions.
     */
    public static int openSwitches(int tid, int cpu) {
        long flags = INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR | CONTEXT_SWITCH | SAMPLE_ID_ALL | USE_CLOCK_ID;
        return open(SOFTWARE, DUMMY, SAMPLE_TID_TIME, flags, 0, tid, cpu);
    }

    /**
     * Samples a thread, and all threads and processes that it starts from now on, on one CPU after each {@code
     * periodNs} of CPU time: its call chain and the top of its stack. The software clock needs no counter of the
     * processor.
     */
    public static int openSamples(int tid, int cpu, long periodNs, boolean userOnly) {
        return openSamples(tid, cpu, periodNs, userOnly, INHERIT);
    }

    /**
     * Samples a thread and those that its process starts in the same way, until the process runs another program. Needs
     * Linux 5.13.
     */
    public static int openSamplesOfProgram(int tid, int cpu, long periodNs, boolean userOnly) {
        return openSamples(tid, cpu, periodNs, userOnly, INHERIT | INHERIT_THREAD | REMOVE_ON_EXEC);
    }

    /**
     * Samples this one thread in the same way, on every CPU, while the event is {@link #enable enabled}, which it is not
     * at first.
     */
    public static int openSamplesOnDemand(int tid, long periodNs, boolean userOnly) {
        return openSamples(tid, -1, periodNs, userOnly, DISABLED);
    }

    /** Lets an event record: from when this returns, if its thread is on a CPU. */
    public static void enable(int descriptor) {
        LibC.ioctl(descriptor, ENABLE, 0);
    }

    /** Ends that. */
    public static void disable(int descriptor) {
        LibC.ioctl(descriptor, DISABLE, 0);
    }

    private static int openSamples(int tid, int cpu, long periodNs, boolean userOnly, long reach) {
        long flags = reach | EXCLUDE_HYPERVISOR | USE_CLOCK_ID | (userOnly ? EXCLUDE_KERNEL : 0);
        return open(SOFTWARE, CPU_CLOCK, SAMPLE_TID_TIME | SAMPLE_CHAIN | SAMPLE_STACK, flags, periodNs, tid, cpu);
    }

    private static int open(int type, long config, long sampleType, long flags, long period, int tid, int cpu) {
        try (Memory attributes = new Memory(ATTRIBUTE_BYTES)) {
            attributes.clear();
            attributes.setInt(0, type);
            attributes.setInt(4, ATTRIBUTE_BYTES);
            attributes.setLong(8, config);
            attributes.setLong(16, period);
            attributes.setLong(24, sampleType);
            attributes.setLong(32, sampleType == 0 ? READ_TIMES : 0);
            attributes.setLong(40, flags);
            attributes.setInt(92, (flags & USE_CLOCK_ID) != 0 ? CLOCK_MONOTONIC : 0);
            attributes.setInt(88, (sampleType & SAMPLE_STACK) != 0 ? STACK_BYTES : 0);
            attributes.setShort(108, (short) ((sampleType & SAMPLE_CHAIN) != 0 ? PerfRing.MAX_CHAIN : 0));
            long descriptor = LibC.syscall(OPEN, Pointer.nativeValue(attributes), tid, cpu, -1, CLOSE_ON_EXEC);
            return descriptor >= 0 ? (int) descriptor : -Native.getLastError();
        }
    }

    /** Sends the records of one event into the ring of another one of the same CPU; returns 0 or {@code -errno}. */
    public static int redirect(int descriptor, int ringDescriptor) {
        return LibC.ioctl(descriptor, SET_OUTPUT, ringDescriptor) == 0 ? 0 : -Native.getLastError();
    }

    /** Reads a counter; all 0 when that fails. */
    public static Reading read(int descriptor) {
        byte[] bytes = new byte[24];
        if (LibC.read(descriptor, bytes, bytes.length) < bytes.length) { // Events have no position: not pread.
            return new Reading(0, 0, 0);
        }
        ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new Reading(values.getLong(0), values.getLong(8), values.getLong(16));
    }
}
