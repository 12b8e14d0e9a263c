package io.inferscope.collectors.python;

import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.util.HashMap;
import java.util.Map;

/**
 * Turns one thread's samples into intervals of time. A sample represents the time half-way to its neighbours;
 * successive equal ones are stored as one:
 *
 * <pre>
 *   samples     A         A            B        A
 *   stored      [--- A, 2 samples ---)[-- B ---)[- A -)
 * </pre>
 *
 * A native sample that was taken while the stack was read tells what ran beneath it. If the thread ran but has no native sample on a stack, it is assumed
 * to have run the stack's last native frames, if they are recent. A thread that slept, or waited for the GIL, when its
 * stack was read did not run the native samples' code there.
 */
final class StackAccount {
    /** An interval is stored after at most this time, so that killing InferScope loses little. */
    private static final long MAX_MERGED_NS = 1_000_000_000L;

    /** A sample represents at most half of this on each side, so that gaps between samples stay unexplained. */
    private static final long MAX_GAP_NS = 2_000_000_000L;

    /**
     * A native sample farther from the Python stack than this tells nothing about it: the thread has lost its CPU in
     * between, and may have gone on to another line.
     */
    private static final long MAX_PAIR_NS = 1_000_000L;

    /**
     * How long native frames below a stack remain valid for the same stack. A thread that mostly waits for a CPU has
     * few native samples; without this, its other time would count as the interpreter's work.
     */
    private static final long REMEMBERED_NS = 2_000_000_000L;

    private static final int MOST_REMEMBERED = 1024;

    /** The GIL of docs/spool-format.md, STACK_SAMPLE. */
    static final int WAITS = 2;

    static final int NEITHER = 3;

    static final int BLOCKED = 4;

    /** A mixed stack, and when it was seen. */
    private record Beneath(int mixed, long timeNs) {}

    private final SpoolWriter writer;
    private final int pid;
    private final int tid;

    /** The last sample, which has no end yet: begin of the time that it represents. */
    private long fromNs;

    private long lastNs;
    private int stack;
    private int columns;
    private int gil;
    private int holder;
    private boolean ran;
    private boolean any;

    /** The mixed stack of the native sample nearest to that sample, 0 for none, and when it was seen. */
    private int mixedStack;

    private long mixedNs;

    /** The kernel stack of that sample, 0 for none. */
    private int kernelStack;

    /** By stack: the last native frames below it, and their time. */
    private final Map<Integer, Beneath> remembered = new HashMap<>();

    /** The interval that is not stored yet. */
    private long startNs;

    private long endNs;
    private int rowStack;
    private int rowColumns;
    private int rowGil;
    private int rowHolder;
    private int samples;
    private long rowLookedNs;
    private long rowReadNs;

    StackAccount(SpoolWriter writer, int pid, int tid) {
        this.writer = writer;
        this.pid = pid;
        this.tid = tid;
    }

    /** Returns the stack of the last sample, 0 = none. */
    int stack() {
        return stack;
    }

    /** Returns whether the first of two instants is the nearer one to the last sample. */
    boolean isNearer(long timeNs, long otherNs) {
        return Math.abs(timeNs - lastNs) < Math.abs(otherNs - lastNs);
    }

    /** Returns whether a native sample taken at {@code timeNs} tells what ran beneath the last sample's stack. */
    boolean isBeneath(long timeNs) {
        return gil != BLOCKED && gil != WAITS && Math.abs(timeNs - lastNs) <= MAX_PAIR_NS;
    }

    /** Adds a native sample {@link #isBeneath beneath} the last sample's stack. */
    void beneath(int mixed, long timeNs) {
        mixedStack = mixed;
        mixedNs = timeNs;
    }

    /**
     * Adds a sample: its stack (0 = runs no Python), the columns of its innermost expression ({@link
     * LineTables#columns}) and the thread's relation to the GIL (numbers of docs/spool-format.md).
     */
    void add(long timeNs, int newStack, int newColumns, int newGil, int newHolder, boolean hasRun) {
        if (any && timeNs - lastNs > MAX_GAP_NS) {
            end(lastNs + MAX_GAP_NS);
        }
        long boundaryNs = any ? (lastNs + timeNs) >>> 1 : timeNs;
        if (any) {
            settle(boundaryNs);
        }
        fromNs = boundaryNs;
        stack = newStack;
        columns = newColumns;
        gil = newGil;
        holder = newHolder;
        ran = hasRun;
        lastNs = timeNs;
        any = true;
    }

    /** Notes that the thread was in the kernel at the last sample. */
    void inKernel(int mixed) {
        kernelStack = mixed;
    }

    /** Adds a sample equal to the previous one. */
    void again(long timeNs) {
        if (any) {
            add(timeNs, stack, columns, gil, holder, false);
        }
    }

    /** Stores the pending interval, up to half the way from the last sample to {@code timeNs}. */
    void end(long timeNs) {
        if (any) {
            settle((lastNs + Math.max(lastNs, timeNs)) >>> 1);
        }
        any = false;
        store();
    }

    /** Ends the last sample. */
    private void settle(long toNs) {
        if (kernelStack != 0) {
            append(fromNs, toNs, kernelStack, lastNs);
        } else if (mixedStack != 0) {
            append(fromNs, toNs, mixedStack, mixedNs);
            if (remembered.size() >= MOST_REMEMBERED) {
                remembered.clear();
            }
            remembered.put(stack, new Beneath(mixedStack, lastNs));
        } else {
            Beneath seen = ran && gil != BLOCKED ? remembered.get(stack) : null;
            int likely = seen == null || lastNs - seen.timeNs >= REMEMBERED_NS ? stack : seen.mixed;
            append(fromNs, toNs, likely, lastNs);
        }
        kernelStack = 0;
        mixedStack = 0;
    }

    /**
     * Appends a part. If the thread has run, its stack is certain only at the instant of the look, so such samples are
     * not joined with earlier ones.
     */
    private void append(long partStartNs, long partEndNs, int partStack, long lookedNs) {
        boolean same = samples > 0 && !ran && partStack == rowStack && gil == rowGil && holder == rowHolder;
        if (!same || partStartNs != endNs || partEndNs - startNs > MAX_MERGED_NS) {
            store();
            startNs = partStartNs;
            rowStack = partStack;
            rowColumns = columns;
            rowGil = gil;
            rowHolder = holder;
            rowLookedNs = lookedNs;
            rowReadNs = lookedNs == lastNs ? 0 : lastNs;
        }
        endNs = partEndNs;
        samples++;
    }

    private void store() {
        if (samples > 0 && rowStack != 0 && endNs > startNs) {
            writer.write(new SpoolRecord.StackSample(
                    startNs,
                    endNs,
                    tid,
                    pid,
                    rowStack,
                    samples,
                    rowGil,
                    rowHolder,
                    rowLookedNs,
                    rowReadNs,
                    rowColumns >>> 16,
                    rowColumns & 0xffff));
        }
        samples = 0;
    }
}
