package io.inferscope.collectors.python;

import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;

/**
 * Turns one thread's samples into stretches of time. A sample stands for the time half-way to its neighbours; equal ones that follow
 * each other are stored as one:
 *
 * <pre>
 *   samples     A         A            B        A
 *   stored      [--- A, 2 samples ---)[-- B ---)[- A -)
 * </pre>
 */
final class StackAccount {
    /** A stretch is stored at the latest after this time, so that killing InferScope loses little. */
    private static final long MAX_MERGED_NS = 1_000_000_000L;

    /** A sample stands for no more than half of this beyond it: where samples were lost, nothing is claimed. */
    private static final long MAX_GAP_NS = 2_000_000_000L;

    private final SpoolWriter writer;
    private final int pid;
    private final int tid;
    private long startNs;
    private long lastNs;
    private int stack;
    private int gil;
    private int holder;
    private int samples;

    StackAccount(SpoolWriter writer, int pid, int tid) {
        this.writer = writer;
        this.pid = pid;
        this.tid = tid;
    }

    /** Adds a sample: its stack (0 = runs no Python) and what the thread has to do with the GIL (numbers of docs/spool-format.md). */
    void add(long timeNs, int newStack, int newGil, int newHolder) {
        if (samples > 0 && timeNs - lastNs > MAX_GAP_NS) {
            end(lastNs + MAX_GAP_NS);
        }
        if (samples == 0) {
            begin(timeNs, newStack, newGil, newHolder);
        } else if (newStack != stack || newGil != gil || newHolder != holder || timeNs - startNs > MAX_MERGED_NS) {
            long boundaryNs = (lastNs + timeNs) >>> 1;
            store(boundaryNs);
            begin(boundaryNs, newStack, newGil, newHolder);
        }
        samples++;
        lastNs = timeNs;
    }

    /** Adds a sample that is like the one before. */
    void again(long timeNs) {
        if (samples > 0) {
            add(timeNs, stack, gil, holder);
        }
    }

    private void begin(long fromNs, int newStack, int newGil, int newHolder) {
        startNs = fromNs;
        stack = newStack;
        gil = newGil;
        holder = newHolder;
        samples = 0;
    }

    /** Stores what is pending, up to half the way from the last sample to {@code timeNs}. */
    void end(long timeNs) {
        if (samples > 0) {
            store((lastNs + Math.max(lastNs, timeNs)) >>> 1);
        }
        samples = 0;
    }

    private void store(long endNs) {
        if (stack != 0 && endNs > startNs) {
            writer.write(new SpoolRecord.StackSample(startNs, endNs, tid, pid, stack, samples, gil, holder));
        }
    }
}
