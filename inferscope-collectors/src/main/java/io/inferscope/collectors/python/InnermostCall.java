package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.ProcessMemory;

/**
 * The object that the innermost frame of a thread calls, or uses in an operator. It is read from the value stack such
 * that its use at that time is proven.
 *
 * <pre>
 *   frame, innermost      instruction | locals | value stack .. callable
 *   the object called     type, fields
 *   frame, innermost      instruction | locals | value stack .. callable        unchanged: the object was in use while it was read
 * </pre>
 *
 * A program mostly calls the same object again, so the previous frame and object are part of the round's batch: all
 * three are read within a microsecond, and short calls are observed as often as long ones.
 */
final class InnermostCall {
    /** Bytes read of the object. Of all known callables, NumPy's functions have the field with the largest offset. */
    private static final int OBJECT_BYTES = 176;

    private static final int HEADER_BYTES = 16;
    private static final int MAX_FRAME_BYTES = 8 * 1024;
    private static final long TAG_BITS = 3; // _PyStackRef of 3.14, pycore_stackref.h

    private final RuntimeLayout layout;
    private final RuntimeLayout.Frame fields;
    private final int typeOffset;
    private final int objectBytes;
    private final int headerBytes;

    /** The words of the called object; valid while {@link #isProven}. */
    private final long[] object;

    private long address;

    /** How the object is used: see {@link Bytecode#how}. */
    private int how;

    /** The right operand. */
    private long otherAddress;

    private long otherType;
    private int otherRange;
    private boolean proven;

    /** The frame's instruction. */
    private long instruction;

    private long atPlace;
    private long behindPlace;

    private long frameAddress;
    private int frameBytes;

    /** Range of the round's batch with the previously called object. */
    private int objectRange;

    private int frameRange;

    InnermostCall(RuntimeLayout layout) {
        this.layout = layout;
        fields = layout.frame();
        typeOffset = layout.type();
        objectBytes = layout.field(OBJECT_BYTES);
        headerBytes = layout.field(HEADER_BYTES);
        object = new long[objectBytes / 8];
    }

    /** Requests the previously called object and its frame, to be read after the stack. */
    void request(MemoryBatch batch) {
        boolean any = address != 0;
        objectRange = any ? batch.add(address, objectBytes) : MemoryBatch.FULL;
        otherRange = any && otherAddress != 0 ? batch.add(otherAddress, headerBytes) : MemoryBatch.FULL;
        frameRange = any ? batch.add(frameAddress, frameBytes) : MemoryBatch.FULL;
    }

    /** Notes that the frame calls nothing. */
    void none() {
        over(0);
    }

    /** Notes that the frame has left a call, or is dropping its result. */
    void over(long call) {
        proven = false;
        address = 0;
        instruction = call;
    }

    /**
     * Reads the object that the innermost frame of a stack calls.
     *
     * @param place its place among the frame's locals and its value stack; if that place is empty, the next one is used
     * @param used how it is used
     */
    void read(ThreadStack stack, int place, int used, MemoryBatch batch, ProcessMemory memory, int pid) {
        long from = stack.innermostFrame + fields.instruction();
        int length = fields.locals() - fields.instruction() + 8 * (place + 2);
        int first = length > MAX_FRAME_BYTES ? -1 : stack.need(batch, memory, pid, from, length);
        if (first < 0 || layout.instruction(batch, first) != stack.instructions[0]) {
            over(used == Bytecode.CALLED ? stack.instructions[0] : 0);
            return;
        }
        instruction = layout.instruction(batch, first);
        atPlace = batch.getLong(first + length - 16);
        behindPlace = batch.getLong(first + length - 8);
        long callable = atPlace & ~TAG_BITS;
        long behind = behindPlace & ~TAG_BITS;
        if (callable == 0 && used == Bytecode.CALLED) {
            callable = behind;
        }
        long other = used == Bytecode.OPERANDS ? behind : 0;
        boolean expected = callable == address
                && other == otherAddress
                && (other == 0 || batch.isRead(otherRange))
                && from == frameAddress
                && length == frameBytes
                && batch.isRead(objectRange)
                && batch.isRead(frameRange)
                && first < batch.offset(objectRange);
        how = used;
        address = callable;
        otherAddress = other;
        frameAddress = from;
        frameBytes = length;
        if (!expected) {
            objectRange = batch.add(callable, objectBytes);
            otherRange = other == 0 ? MemoryBatch.FULL : batch.add(other, headerBytes);
            frameRange = batch.add(from, length);
            boolean read = frameRange != MemoryBatch.FULL && memory.read(pid, batch) == 0;
            if (!read || !batch.isRead(objectRange) || !batch.isRead(frameRange)) {
                over(used == Bytecode.CALLED ? instruction : 0);
                return;
            }
        }
        keep(batch);
    }

    private void keep(MemoryBatch batch) {
        for (int i = 0; i < object.length; i++) {
            object[i] = batch.getLong(batch.offset(objectRange) + 8 * i);
        }
        otherType = batch.isRead(otherRange) ? batch.getLong(batch.offset(otherRange) + typeOffset) : 0;
        proven = isStill(batch, batch.offset(frameRange));
    }

    /**
     * Returns whether instruction and object are unchanged. Locals and arguments may differ: a further call of the same
     * object by the same instruction is equally good evidence.
     */
    private boolean isStill(MemoryBatch batch, int at) {
        boolean usesBehind = otherAddress != 0 || (atPlace & ~TAG_BITS) == 0;
        return layout.instruction(batch, at) == instruction
                && batch.getLong(at + frameBytes - 16) == atPlace
                && (!usesBehind || batch.getLong(at + frameBytes - 8) == behindPlace);
    }

    /** Returns whether the frame was in the call while the object was read. */
    boolean isProven() {
        return proven;
    }

    /** Returns whether the frame is still in the call. */
    boolean isStill(RemoteReader reader, int pid) throws UnreadableRuntime {
        return isStill(reader.read(pid, frameAddress, frameBytes), 0);
    }

    /** Returns how the object is used: see {@link Bytecode#how}. */
    int how() {
        return how;
    }

    /** Returns the type of the right operand, 0 for none. */
    long otherType() {
        return otherType;
    }

    /**
     * Returns the instruction that calls the object; without an object, that of the call that has returned, 0 for none.
     */
    long instruction() {
        return instruction;
    }

    /** Returns the address of the called object, 0 for none. */
    long address() {
        return address;
    }

    /** Returns 8 bytes of the called object, 0 beyond the bytes read. */
    long word(int offset) {
        return offset < 0 || offset > objectBytes - 8 || (offset & 7) != 0 ? 0 : object[offset / 8];
    }
}
