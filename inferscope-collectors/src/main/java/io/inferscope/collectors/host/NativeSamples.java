package io.inferscope.collectors.host;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Samples since the previous round of where threads were on a CPU, taken by the kernel's CPU clock; oldest first on
 * each thread. They are there from {@link #takeNow} on: a thread's own stack is read first, because reading the samples
 * takes time, in which the thread goes on.
 */
public final class NativeSamples {
    private int count;
    private int[] pids = new int[64];
    private int[] tids = new int[64];
    private long[] timesNs = new long[64];
    private int[] ends = new int[64];
    private long[] chains = new long[1024];

    private @Nullable Runnable pending;
    private boolean any;
    private boolean all;
    private boolean kernel = true;
    private final Set<Integer> recorded = new HashSet<>();

    /** Forgets all samples. {@code source} adds the new ones when they are wanted; null where the kernel records none. */
    void begin(@Nullable Runnable source) {
        count = 0;
        any = source != null;
        pending = source;
    }

    /** Reads the samples, if that was not done in this round. */
    public void takeNow() {
        Runnable source = pending;
        pending = null;
        if (source != null) {
            source.run();
        }
    }

    /** Sets whether the kernel's own work is recorded. */
    void recordKernel(boolean kernelToo) {
        kernel = kernelToo;
    }

    /** Returns whether the kernel's work for a thread is recorded, in addition to the program's. */
    public boolean isKernelRecorded(int tid) {
        return kernel && isRecorded(tid);
    }

    /** Sets which threads the kernel records: all, or those passed to {@link #record} and those with samples. */
    void recordAll(boolean everyThread) {
        all = everyThread;
    }

    /** Notes that the kernel records a thread. */
    void record(int tid) {
        recorded.add(tid);
    }

    /** Returns whether the kernel records a thread's samples. Without that, missing samples mean nothing. */
    public boolean isRecorded(int tid) {
        return any && (all || recorded.contains(tid));
    }

    void add(int pid, int tid, long timeNs, long[] chain, int length) {
        if (count == pids.length) {
            pids = Arrays.copyOf(pids, 2 * count);
            tids = Arrays.copyOf(tids, 2 * count);
            timesNs = Arrays.copyOf(timesNs, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        int from = from(count);
        if (from + length > chains.length) {
            chains = Arrays.copyOf(chains, 2 * (from + length));
        }
        System.arraycopy(chain, 0, chains, from, length);
        pids[count] = pid;
        tids[count] = tid;
        timesNs[count] = timeNs;
        if (!all) {
            recorded.add(tid); // Made by a thread that has an event.
        }
        ends[count++] = from + length;
    }

    public int count() {
        return count;
    }

    /** Returns the process of a sample. */
    public int pid(int sample) {
        return pids[sample];
    }

    /** Returns the thread of a sample. */
    public int tid(int sample) {
        return tids[sample];
    }

    /** Returns when a sample was taken, CLOCK_MONOTONIC. */
    public long timeNs(int sample) {
        return timesNs[sample];
    }

    /**
     * Returns where the chain of a sample begins among {@link #chains}: marks of
     * {@link io.inferscope.collectors.os.PerfRing} and addresses, innermost first.
     */
    public int from(int sample) {
        return sample == 0 ? 0 : ends[sample - 1];
    }

    public int end(int sample) {
        return ends[sample];
    }

    /** Returns an element of a chain. */
    public long element(int at) {
        return chains[at];
    }
}
