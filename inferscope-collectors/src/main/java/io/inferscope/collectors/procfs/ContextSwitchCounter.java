package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.OperatingSystem;

/**
 * Counts one thread's context switches by kind. {@code status} is the costliest file of a thread (8 us), so it is read
 * a few times a second, and only for threads that ran: the counts are for the whole time since the last reading.
 */
public final class ContextSwitchCounter {
    private static final long PERIOD_NS = 250_000_000L;
    private static final int BUFFER_BYTES = 4096;
    private static final byte[] VOLUNTARY =
            "\nvoluntary_ctxt_switches:".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final byte[] INVOLUNTARY =
            "\nnonvoluntary_ctxt_switches:".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final byte[] SHARED = new byte[BUFFER_BYTES]; // Shared, because one sampling thread reads all files.

    private final OperatingSystem system;
    private final String path;
    private int descriptor = Integer.MIN_VALUE;
    private long readNs;
    private long voluntary;
    private long involuntary;
    private int newVoluntary;
    private int newInvoluntary;

    public ContextSwitchCounter(OperatingSystem system, String path) {
        this.system = system;
        this.path = path;
    }

    /** Reads the counts since the last reading, if that is old enough. */
    public void read(long nowNs) {
        forget();
        if (nowNs - readNs < PERIOD_NS) {
            return;
        }
        readNs = nowNs;
        descriptor = descriptor == Integer.MIN_VALUE ? system.open(path) : descriptor;
        int length = descriptor < 0 ? descriptor : system.read(descriptor, SHARED);
        if (length <= 0) {
            return;
        }
        long nowVoluntary = number(VOLUNTARY, length);
        long nowInvoluntary = number(INVOLUNTARY, length);
        newVoluntary = (int) Math.max(0, nowVoluntary - voluntary);
        newInvoluntary = (int) Math.max(0, nowInvoluntary - involuntary);
        voluntary = nowVoluntary;
        involuntary = nowInvoluntary;
    }

    /** Resets the new counts. */
    public void forget() {
        newVoluntary = 0;
        newInvoluntary = 0;
    }

    public int newVoluntary() {
        return newVoluntary;
    }

    public int newInvoluntary() {
        return newInvoluntary;
    }

    /** The two lines are the last of the file. */
    private static long number(byte[] key, int length) {
        for (int from = length - key.length; from >= 0; from--) {
            if (java.util.Arrays.equals(SHARED, from, from + key.length, key, 0, key.length)) {
                return ProcText.number(SHARED, from + key.length, length, 0);
            }
        }
        return 0;
    }

    public void close() {
        if (descriptor >= 0) {
            system.close(descriptor);
        }
    }
}
