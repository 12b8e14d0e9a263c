package io.inferscope.collectors.python;

import io.inferscope.collectors.host.ObservedThread;
import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.ProcessMemory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One thread state of an interpreter, and its stack when last read.
 *
 * <p>The program runs during reading, so reading must be quick: the memory of the last stack is read again in one batch
 * with that of other threads, and missing pieces are read during the walk.
 *
 * <pre>
 *   PyThreadState --> innermost frame --> caller's frame --> ...      3.9, 3.10: objects anywhere
 *                        |  in 3.11+ nearly all of them lie in one chunk of memory, read whole;
 *                        |  those of generators lie inside the generator
 * </pre>
 *
 * A chain that leaves readable memory, does not end, or contains values invalid in a frame, is a torn read. This loop
 * runs for every thread that has run, at up to 1000 Hz; the method is long because it must not allocate
 * (lab/bench stacks).
 */
final class ThreadStack {
    /** Most frames kept of a stack, from the innermost on. */
    static final int MAX_DEPTH = 1024;

    /** Stack id of a thread whose stack has not been read. */
    static final int UNREAD = -1;

    private static final int CHUNK_BYTES = 16 * 1024; // _PY_DATA_STACK_CHUNK_SIZE, Include/cpython/pystate.h
    private static final int MAX_CHUNK_BYTES = 512 * 1024;
    private static final int CHUNK_SLACK_BYTES = 512;
    private static final int MAX_STEPS = 4 * MAX_DEPTH;

    /** Owners of frames whose caller is unset when they stop: pycore_frame.h of 3.11 to 3.14. */
    private static final int OWNED_BY_GENERATOR = 1;

    private static final int OWNED_BY_OBJECT = 2;

    private static final long TAG_BITS = 3; // _PyStackRef of 3.14, pycore_stackref.h

    final long address;
    final int tid;

    /** The id in the thread state. Inside a container, and before 3.11, it differs from {@link #tid}. */
    final long nativeId;

    final StackAccount account;

    @Nullable
    ObservedThread observed;

    /** The code objects of the last stack found, innermost first. */
    long[] codes = new long[32];

    /** The instruction of each frame of {@link #codes}, as stored in the frame. */
    long[] instructions = new long[32];

    int depth;

    /** The stack before that, and its id. */
    private long[] lastCodes = new long[32];

    private long[] lastInstructions = new long[32];
    private int lastDepth = -1;

    /** Ids of the parts of the previous stack: of its outermost frame, of its two outermost frames, and so on. */
    private int[] stackIds = new int[32];

    /** How many of the outermost frames are at the instruction where the stack before had them. */
    private int unchangedCallers;

    int stackId = UNREAD;

    /** The stack id including the C function that the innermost frame calls, if known. */
    int calledStackId = UNREAD;

    /** The columns of the innermost frame's expression: {@link LineTables#columns}. */
    int columns;

    /** The object that the innermost frame calls. */
    final InnermostCall call;

    /** How much of its CPU time was the kernel's. */
    final SystemTimeEstimator kernelTime = new SystemTimeEstimator();

    /** The code object of the frame of {@link #call}, null if unknown. */
    @Nullable
    CodeObject callOf;

    /** The address of the innermost frame that runs Python. */
    long innermostFrame;

    boolean torn;

    /** Where the last walk ended, and where one is believed to end: the address of a frame. */
    private long outermost;

    private long knownOutermost = -1;

    /** Whether that frame can only be the outermost one of a thread if C code without a caller resumed it. */
    private boolean endsInGenerator;

    /** Whether each frame that seems to have called another one in Python waits for it. */
    private boolean callersWait;

    boolean wasRead;

    /** How often it is still to be read although it has not run: what a new code object calls is known only later. */
    int looksLeft;

    private final RuntimeLayout layout;
    private final Regions wanted = new Regions();
    private final Regions present = new Regions();
    private int lastHit;
    private long chunk;
    private long chunkTop;
    private long oldestChunk;

    /** Pieces of memory to read next time, or pieces that were read. */
    private static final class Regions {
        long[] addresses = new long[16];
        int[] lengths = new int[16];
        int[] ranges = new int[16];
        int count;

        void add(long regionAddress, int length, int range) {
            if (count == addresses.length) {
                addresses = Arrays.copyOf(addresses, count * 2);
                lengths = Arrays.copyOf(lengths, count * 2);
                ranges = Arrays.copyOf(ranges, count * 2);
            }
            addresses[count] = regionAddress;
            lengths[count] = length;
            ranges[count++] = range;
        }
    }

    ThreadStack(RuntimeLayout layout, long address, int tid, long nativeId, StackAccount account) {
        this.layout = layout;
        this.address = address;
        this.tid = tid;
        this.nativeId = nativeId;
        this.account = account;
        call = new InnermostCall(layout);
    }

    /** Requests all memory from which this thread's last stack was read. */
    void request(MemoryBatch batch) {
        present.count = 0;
        lastHit = 0;
        int bytes = layout.thread().bytes();
        present.add(address, bytes, batch.add(address, bytes));
        for (int i = 0; i < wanted.count; i++) {
            int range = batch.add(wanted.addresses[i], wanted.lengths[i]);
            present.add(wanted.addresses[i], wanted.lengths[i], range);
        }
        call.request(batch);
    }

    /** Walks the stack and sets {@link #torn}. Returns whether the thread state still belongs to this thread. */
    boolean walk(MemoryBatch batch, ProcessMemory memory, int pid) {
        torn = false;
        depth = 0;
        wanted.count = 0;
        RuntimeLayout.ThreadState fields = layout.thread();
        int state = find(batch, address, fields.bytes());
        if (state < 0 || batch.getLong(state + fields.id()) != nativeId) {
            return false;
        }
        long frame = batch.getLong(state + fields.frame());
        if (fields.cframeFrame() >= 0 && frame != 0) {
            frame = walkCFrame(batch, memory, pid, frame);
        }
        if (fields.chunk() >= 0 && frame != 0) {
            chunk(batch, state + fields.chunk());
        }
        walkFrames(batch, memory, pid, frame);
        unchangedCallers = countUnchangedCallers();
        return true;
    }

    private long walkCFrame(MemoryBatch batch, ProcessMemory memory, int pid, long cframe) {
        int at = need(batch, memory, pid, cframe, 16);
        torn = at < 0;
        if (torn) {
            return 0;
        }
        wanted.add(cframe, 16, 0);
        return batch.getLong(at + layout.thread().cframeFrame());
    }

    private void chunk(MemoryBatch batch, int at) {
        chunk = batch.getLong(at);
        chunkTop = batch.getLong(at + 8);
        oldestChunk = chunk;
        long used = chunkTop - chunk;
        if (chunk == 0 || used <= 0 || used > MAX_CHUNK_BYTES) {
            chunk = 0;
            oldestChunk = 0;
            return;
        }
        int length = (int) Math.min(used + CHUNK_SLACK_BYTES, Math.max(used, CHUNK_BYTES));
        wanted.add(chunk, length, 0);
    }

    private void walkFrames(MemoryBatch batch, ProcessMemory memory, int pid, long innermost) {
        RuntimeLayout.Frame fields = layout.frame();
        int bytes = fields.bytes();
        long frame = innermost;
        outermost = 0;
        endsInGenerator = false;
        callersWait = true;
        boolean calledByPython = false;
        for (int steps = 0; frame != 0 && depth < MAX_DEPTH && !torn; steps++) {
            int at = find(batch, frame, bytes);
            if (at < 0) {
                at = findElsewhere(batch, memory, pid, frame, bytes);
            }
            if (at < 0 || steps > MAX_STEPS || (frame & 7) != 0) {
                torn = true;
                return;
            }
            if (!isWanted(frame)) {
                boolean alone = present.lengths[lastHit] < CHUNK_BYTES;
                wanted.add(alone ? frame : present.addresses[lastHit], alone ? bytes : present.lengths[lastHit], 0);
            }
            int owner = fields.owner() < 0 ? 0 : batch.getByte(at + fields.owner());
            if (owner < fields.shimOwner()) {
                innermostFrame = depth == 0 ? frame : innermostFrame;
                push(batch, at, fields);
                callersWait &= !calledByPython || layout.mayHaveCalled(batch, at);
            }
            calledByPython = owner < fields.shimOwner() && !layout.isCalledByC(batch, at);
            torn |= owner > 4;
            endsInGenerator = owner == OWNED_BY_GENERATOR || owner == OWNED_BY_OBJECT;
            outermost = depth < MAX_DEPTH ? frame : 0;
            frame = batch.getLong(at + fields.previous());
        }
    }

    /**
     * Returns whether the frames of the last walk are one stack, which ends at the frame where one ended before. A
     * generator that is suspended while its stack is read has no caller any more, and what it called then looks like a
     * whole stack; a frame that returned meanwhile may leave none at all, or seem to be called by what runs in its
     * caller's place. An end that two walks found is a new one, except in a generator.
     */
    boolean isWhole() {
        boolean same = outermost == knownOutermost;
        if (!endsInGenerator && callersWait) {
            knownOutermost = outermost;
        }
        return same && callersWait;
    }

    /** Takes the frames of the last walk for a stack. The thread may have been stopped between two of its stores. */
    void believe() {
        knownOutermost = outermost;
        callersWait = true;
    }

    private void push(MemoryBatch batch, int at, RuntimeLayout.Frame fields) {
        if (depth == codes.length) {
            codes = Arrays.copyOf(codes, depth * 2);
            instructions = Arrays.copyOf(instructions, depth * 2);
        }
        long code = batch.getLong(at + fields.code()) & ~TAG_BITS;
        torn |= (code & 7) != 0 || code <= 0;
        codes[depth] = code;
        instructions[depth++] = layout.instruction(batch, at + fields.instruction());
    }

    private boolean isWanted(long frame) {
        for (int i = 0; i < wanted.count; i++) {
            long start = wanted.addresses[i];
            if (frame >= start && frame < start + wanted.lengths[i]) {
                return true;
            }
        }
        return false;
    }

    /**
     * Finds a frame that the last stack did not have: deeper in the chunk, in an older chunk, or in a separate object.
     */
    private int findElsewhere(MemoryBatch batch, ProcessMemory memory, int pid, long frame, int bytes) {
        if (chunk != 0 && frame >= chunk && frame + bytes <= chunkTop) {
            fetch(batch, memory, pid, chunk, (int) (chunkTop - chunk));
            return find(batch, frame, bytes);
        }
        while (oldestChunk != 0) {
            int header = need(batch, memory, pid, oldestChunk, 16);
            long previous = header < 0 ? 0 : batch.getLong(header);
            oldestChunk = previous;
            if (previous == 0 || !fetchChunk(batch, memory, pid, previous)) {
                oldestChunk = 0;
                break;
            }
            int at = find(batch, frame, bytes);
            if (at >= 0) {
                return at;
            }
        }
        return need(batch, memory, pid, frame, bytes);
    }

    private boolean fetchChunk(MemoryBatch batch, ProcessMemory memory, int pid, long start) {
        int at = need(batch, memory, pid, start, CHUNK_BYTES);
        if (at < 0) {
            return false;
        }
        long size = batch.getLong(at + 8);
        int length = size > CHUNK_BYTES && size <= MAX_CHUNK_BYTES ? (int) size : CHUNK_BYTES;
        return length == CHUNK_BYTES || fetch(batch, memory, pid, start, length) >= 0;
    }

    /** Returns the position of a piece of memory in the batch; reads it if needed; -1 if it cannot be read. */
    int need(MemoryBatch batch, ProcessMemory memory, int pid, long from, int length) {
        int at = find(batch, from, length);
        return at >= 0 ? at : fetch(batch, memory, pid, from, length);
    }

    private int fetch(MemoryBatch batch, ProcessMemory memory, int pid, long from, int length) {
        int range = batch.add(from, length);
        if (range == MemoryBatch.FULL || memory.read(pid, batch) != 0 || !batch.isRead(range)) {
            return -1;
        }
        present.add(from, length, range);
        return batch.offset(range);
    }

    /**
     * Returns the position of a piece of memory in the batch, -1 if it was not read. The search continues from the last
     * region, because regions are in the order of frames.
     */
    private int find(MemoryBatch batch, long from, int length) {
        for (int i = 0; i < present.count; i++) {
            int region = lastHit + i < present.count ? lastHit + i : lastHit + i - present.count;
            long start = present.addresses[region];
            if (from >= start
                    && from + length <= start + present.lengths[region]
                    && batch.isRead(present.ranges[region])) {
                lastHit = region;
                return batch.offset(present.ranges[region]) + (int) (from - start);
            }
        }
        return -1;
    }

    /** Returns whether the stack equals the previous one, whose id is known. */
    boolean isUnchanged() {
        return depth == lastDepth && unchangedCallers == depth && stackId != UNREAD;
    }

    /** Returns how many of the outermost frames are at the instruction where the stack before had them. */
    int unchangedCallers() {
        return unchangedCallers;
    }

    private int countUnchangedCallers() {
        int same = 0;
        while (same < depth
                && same < lastDepth
                && codes[depth - 1 - same] == lastCodes[lastDepth - 1 - same]
                && instructions[depth - 1 - same] == lastInstructions[lastDepth - 1 - same]) {
            same++;
        }
        return same;
    }

    /** Returns the code object of the innermost frame of the stack that was kept last, 0 without frames. */
    long innermostCode() {
        return lastDepth <= 0 ? 0 : lastCodes[0];
    }

    /** Returns the instruction of that frame. */
    long innermostInstruction() {
        return lastInstructions[0];
    }

    /** Invalidates the previous stack. */
    void forget() {
        stackId = UNREAD;
        lastDepth = -1;
        unchangedCallers = 0;
    }

    /** Returns the id of the {@code frames} outermost frames, from the previous stack or set since; 0 for none. */
    int stackOf(int frames) {
        return frames == 0 ? 0 : stackIds[frames - 1];
    }

    /** Sets the id of the {@code frames} outermost frames, which differ from the previous stack. */
    void setStackOf(int frames, int id) {
        if (frames > stackIds.length) {
            stackIds = Arrays.copyOf(stackIds, Math.max(frames, 2 * stackIds.length));
        }
        stackIds[frames - 1] = id;
    }

    /** Makes the current stack the previous one. The ids of all its parts must be set. */
    void keep() {
        stackId = stackOf(depth);
        lastDepth = depth;
        long[] spare = lastCodes;
        lastCodes = codes;
        codes = spare;
        spare = lastInstructions;
        lastInstructions = instructions;
        instructions = spare;
    }
}
