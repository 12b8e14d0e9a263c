package io.inferscope.collectors.host;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Samples of where threads were on a CPU, oldest first on each thread: those that were {@link #ask asked} for in this
 * round, and those of programs without Python since the previous round.
 */
public final class NativeSamples {
    private int count;
    private int[] pids = new int[64];
    private int[] tids = new int[64];
    private long[] timesNs = new long[64];
    private int[] ends = new int[64];
    private long[] chains = new long[1024];

    private @Nullable Runnable pending;
    private final @Nullable NativeWatch watch;

    public NativeSamples() {
        this(null);
    }

    /** {@code watch}: who answers. */
    NativeSamples(@Nullable NativeWatch watch) {
        this.watch = watch;
    }

    /** Forgets all samples. {@code source} adds those of programs when they are wanted; null where there are none. */
    void begin(@Nullable Runnable source) {
        count = 0;
        pending = source;
    }

    /** Forgets all samples. */
    public void clear() {
        begin(null);
    }

    /** Adds the samples of programs without Python, if that was not done in this round. */
    public void takeNow() {
        Runnable source = pending;
        pending = null;
        if (source != null) {
            source.run();
        }
    }

    /**
     * Asks for a sample of a thread that is thought to run. It is taken within some 0.1 ms, while the caller reads the
     * thread's own stack, and {@link #collect} adds it.
     */
    public void ask(int tid) {
        if (watch != null) {
            watch.ask(tid);
        }
    }

    /** Adds the samples that were asked for. Waits for them, for 0.3 ms at most: a thread may have lost its CPU. */
    public void collect() {
        if (watch != null) {
            watch.collect();
        }
    }

    /** Returns whether samples of a thread tell the kernel's work for it. Without that, missing samples mean nothing. */
    public boolean isKernelRecorded(int tid) {
        return watch != null && watch.isKernelRecorded(tid);
    }

    void add(int pid, int tid, long timeNs, long[] chain, int length) {
        makeRoom(length);
        System.arraycopy(chain, 0, chains, from(count), length);
        append(pid, tid, timeNs, length);
    }

    private void makeRoom(int length) {
        if (count == pids.length) {
            pids = Arrays.copyOf(pids, 2 * count);
            tids = Arrays.copyOf(tids, 2 * count);
            timesNs = Arrays.copyOf(timesNs, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        int end = from(count) + length;
        if (end > chains.length) {
            chains = Arrays.copyOf(chains, 2 * end);
        }
    }

    private void append(int pid, int tid, long timeNs, int length) {
        pids[count] = pid;
        tids[count] = tid;
        timesNs[count] = timeNs;
        ends[count] = from(count) + length;
        count++;
    }

    public void add(NativeSamples others, int sample) {
        int from = others.from(sample);
        int length = others.end(sample) - from;
        makeRoom(length);
        System.arraycopy(others.chains, from, chains, from(count), length);
        append(others.pid(sample), others.tid(sample), others.timeNs(sample), length);
    }

    public int count() {
        return count;
    }

    public int pid(int sample) {
        return pids[sample];
    }

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

    public long element(int at) {
        return chains[at];
    }
}
