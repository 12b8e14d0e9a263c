package io.inferscope.collectors.os;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The ring buffer in which the kernel stores an event's records, mapped into this process. The kernel moves the head,
 * the reader the tail; both only grow (perf_event_open(2), "MMAP layout").
 *
 * <pre>
 *   | page of struct perf_event_mmap_page | data, 2^n pages                              |
 *     data_head 1024, data_tail 1032          ......[tail records head).....
 * </pre>
 */
public final class PerfRing {
    private static final int PAGE_BYTES = 4096;
    private static final int HEAD = 1024;
    private static final int TAIL = 1032;
    private static final int READ_AND_WRITE = 3; // PROT_READ | PROT_WRITE
    private static final int SHARED = 1; // MAP_SHARED
    private static final int LOST = 2; // PERF_RECORD_LOST
    private static final int SAMPLE = 9; // PERF_RECORD_SAMPLE
    private static final int SWITCH = 14; // PERF_RECORD_SWITCH
    private static final int MISC_OUT = 1 << 13; // PERF_RECORD_MISC_SWITCH_OUT
    private static final int MISC_PREEMPTED = 1 << 14; // PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
    private static final int HEADER_BYTES = 8; // u32 type, u16 misc, u16 size

    /**
     * Most addresses requested per chain: the kernel's part of a write may be 40 deep. Marks for the begin of each part
     * come on top.
     */
    static final int MAX_CHAIN = 64;

    private static final int MOST_STACK_WORDS = 64;
    private static final int MOST_IN_CHAIN = MAX_CHAIN + 5 + MOST_STACK_WORDS;

    /** The following addresses are the kernel's (PERF_CONTEXT_KERNEL). */
    public static final long KERNEL_MARK = -128;

    /**
     * The following values are words of the program's stack, the last pushed first; some are return addresses. This
     * mark is InferScope's own.
     */
    public static final long STACK_MARK = -1;

    /** The following addresses are the program's (PERF_CONTEXT_USER). */
    public static final long USER_MARK = -512;

    private final long[] chain = new long[MOST_IN_CHAIN];
    private final Pointer mapping;
    private final long mappedBytes;
    private final ByteBuffer control;
    private final ByteBuffer data;
    private final int mask;

    /** Receives the records of a ring. */
    public interface Sink {
        /** A thread was switched onto or off a CPU; preempted: it was still runnable. CLOCK_MONOTONIC. */
        default void switched(int tid, long timeNs, boolean on, boolean preempted) {}

        /**
         * A thread was sampled on a CPU. CLOCK_MONOTONIC.
         *
         * @param chain valid during the call: marks, each followed by addresses, innermost first
         * @param length number of values
         */
        default void sampled(int pid, int tid, long timeNs, long[] chain, int length) {}

        /** Records did not fit into the ring. */
        void lost(long records);
    }

    private PerfRing(Pointer mapping, long mappedBytes, int dataBytes) {
        this.mapping = mapping;
        this.mappedBytes = mappedBytes;
        control = mapping.getByteBuffer(0, PAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        data = mapping.getByteBuffer(OwnProcess.pageBytes(), dataBytes).order(ByteOrder.LITTLE_ENDIAN);
        mask = dataBytes - 1;
    }

    /**
     * Maps the ring of an event.
     *
     * @param descriptor the event
     * @param dataBytes its size: a power of two, raised to that of a page
     * @return the ring, or null if refused because kernel.perf_event_mlock_kb is used up
     */
    public static @org.jspecify.annotations.Nullable PerfRing map(int descriptor, int dataBytes) {
        int data = (int) Math.max(dataBytes, OwnProcess.pageBytes());
        long bytes = OwnProcess.pageBytes() + data;
        Pointer mapping = LibC.mmap(Pointer.NULL, bytes, READ_AND_WRITE, SHARED, descriptor, 0);
        boolean failed = Pointer.nativeValue(mapping) == -1L || Native.POINTER_SIZE != 8;
        return failed ? null : new PerfRing(mapping, bytes, data);
    }

    /** Returns whether there are records that were not passed yet. */
    public boolean hasRecords() {
        return control.getLong(HEAD) != control.getLong(TAIL);
    }

    /** Passes the records since the last call, and frees their space. */
    public void drain(Sink sink) {
        long head = control.getLong(HEAD);
        VarHandle.acquireFence(); // Records are read after the head that covers them (smp_rmb in the manual).
        long tail = control.getLong(TAIL);
        while (tail < head) {
            int type = (int) number(tail, 4);
            int misc = (int) number(tail + 4, 2);
            int size = (int) number(tail + 6, 2);
            if (size < HEADER_BYTES) {
                tail = head; // Never observed: the rest cannot be parsed.
            } else {
                record(sink, type, misc, tail);
                tail += size;
            }
        }
        VarHandle.fullFence(); // All reads are complete before the kernel may overwrite the records.
        control.putLong(TAIL, tail);
    }

    private void record(Sink sink, int type, int misc, long at) {
        if (type == SWITCH) { // u32 pid, u32 tid, u64 time: the sample_id
            boolean on = (misc & MISC_OUT) == 0;
            sink.switched((int) number(at + 12, 4), number(at + 16, 8), on, (misc & MISC_PREEMPTED) != 0);
        } else if (type
                == SAMPLE) { // u32 pid, u32 tid, u64 time, u64 count, u64 addresses[count], u64 bytes, stack, u64 used
            long count = number(at + 24, 8);
            int length = (int) Math.min(MAX_CHAIN + 4, count);
            for (int i = 0; i < length; i++) {
                chain[i] = number(at + 32 + 8L * i, 8);
            }
            long stack = at + 32 + 8 * count;
            long stackBytes = number(stack, 8);
            long usedBytes = stackBytes == 0 ? 0 : number(stack + 8 + stackBytes, 8);
            chain[length++] = STACK_MARK;
            for (int i = 0; i < Math.min(MOST_STACK_WORDS, usedBytes >> 3); i++) {
                chain[length++] = number(stack + 8 + 8L * i, 8);
            }
            sink.sampled((int) number(at + 8, 4), (int) number(at + 12, 4), number(at + 16, 8), chain, length);
        } else if (type == LOST) { // u64 id, u64 lost
            sink.lost(number(at + 16, 8));
        }
    }

    /** Records are 8-byte aligned and their fields naturally so: none of these reaches across the end. */
    private long number(long position, int bytes) {
        int at = (int) position & mask;
        return switch (bytes) {
            case 2 -> data.getShort(at) & 0xffff;
            case 4 -> data.getInt(at) & 0xffff_ffffL;
            default -> data.getLong(at);
        };
    }

    /** Unmaps it. */
    public void close() {
        LibC.munmap(mapping, mappedBytes);
    }
}
