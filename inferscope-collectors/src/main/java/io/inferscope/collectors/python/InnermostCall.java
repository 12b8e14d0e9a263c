package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.ProcessMemory;

/**
 * What the innermost frame of a thread calls, or works on by an operator: the object on its value stack, read so that it is known to have been
 * used then.
 *
 * <pre>
 *   frame, innermost      instruction | locals | value stack .. callable
 *   the object called     type, fields
 *   frame, innermost      instruction | locals | value stack .. callable        the same? then it was called meanwhile
 * </pre>
 *
 * A program seldom calls something else next time: frame and object of the time before are part of the round's batch, so that all three are
 * read within the same microsecond, and short calls are seen as often as long ones.
 */
final class InnermostCall {
    /** As much of the object as is needed: of all callables known, NumPy's functions have the field that is farthest behind. */
    private static final int OBJECT_BYTES = 176;

    private static final int HEADER_BYTES = 16;
    private static final int MAX_FRAME_BYTES = 8 * 1024;
    private static final long TAG_BITS = 3; // _PyStackRef of 3.14, pycore_stackref.h

    private final RuntimeLayout.Frame fields;

    /** The first word of what is called, and the words behind it; valid while {@link #isProven}. */
    private final long[] object = new long[OBJECT_BYTES / 8];

    private long address;

    /** How the object is used: see {@link Bytecode#how}. */
    private int how;

    /** The right operand, and the words of which the second is its type. */
    private long otherAddress;

    private long otherType;
    private int otherRange;
    private boolean proven;

    /** What the frame executes, and what lies at the two places of its value stack. */
    private long instruction;

    private long atPlace;
    private long behindPlace;

    private long frameAddress;
    private int frameBytes;

    /** Ranges of the round's batch for what was called the time before. */
    private int objectRange;

    private int frameRange;

    InnermostCall(RuntimeLayout layout) {
        fields = layout.frame();
    }

    /** Asks for what was called the last time, and for the frame that called it; to be read behind the stack. */
    void request(MemoryBatch batch) {
        boolean any = address != 0;
        objectRange = any ? batch.add(address, OBJECT_BYTES) : MemoryBatch.FULL;
        otherRange = any && otherAddress != 0 ? batch.add(otherAddress, HEADER_BYTES) : MemoryBatch.FULL;
        frameRange = any ? batch.add(frameAddress, frameBytes) : MemoryBatch.FULL;
    }

    /** Says that the frame calls nothing. */
    void none() {
        proven = false;
        address = 0;
    }

    /**
     * Reads what the innermost frame of a stack calls.
     *
     * @param place where it is among the frame's locals and its value stack; the place behind it where that one is empty
     * @param used how it is used
     */
    void read(ThreadStack stack, int place, int used, MemoryBatch batch, ProcessMemory memory, int pid) {
        long from = stack.innermostFrame + fields.instruction();
        int length = fields.locals() - fields.instruction() + 8 * (place + 2);
        int first = length > MAX_FRAME_BYTES ? -1 : stack.need(batch, memory, pid, from, length);
        if (first < 0 || batch.getLong(first) != stack.instructions[0]) {
            none();
            return;
        }
        instruction = batch.getLong(first);
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
            objectRange = batch.add(callable, OBJECT_BYTES);
            otherRange = other == 0 ? MemoryBatch.FULL : batch.add(other, HEADER_BYTES);
            frameRange = batch.add(from, length);
            boolean read = frameRange != MemoryBatch.FULL && memory.read(pid, batch) == 0;
            if (!read || !batch.isRead(objectRange) || !batch.isRead(frameRange)) {
                none();
                return;
            }
        }
        keep(batch);
    }

    private void keep(MemoryBatch batch) {
        for (int i = 0; i < object.length; i++) {
            object[i] = batch.getLong(batch.offset(objectRange) + 8 * i);
        }
        otherType = batch.isRead(otherRange) ? batch.getLong(batch.offset(otherRange) + RemoteReader.TYPE) : 0;
        proven = isStill(batch, batch.offset(frameRange));
    }

    /** Locals and arguments may be others: the next call of the same object, by the same instruction, proves as much. */
    private boolean isStill(MemoryBatch batch, int at) {
        boolean usesBehind = otherAddress != 0 || (atPlace & ~TAG_BITS) == 0;
        return batch.getLong(at) == instruction
                && batch.getLong(at + frameBytes - 16) == atPlace
                && (!usesBehind || batch.getLong(at + frameBytes - 8) == behindPlace);
    }

    /** Returns whether the frame was in the call while what is called was read. */
    boolean isProven() {
        return proven;
    }

    /** Returns whether it still is. */
    boolean isStill(RemoteReader reader, int pid) throws UnreadableRuntime {
        return isStill(reader.read(pid, frameAddress, frameBytes), 0);
    }

    /** Returns how what lies there is used: see {@link Bytecode#how}. */
    int how() {
        return how;
    }

    /** Returns the type of the right operand, 0 for none. */
    long otherType() {
        return otherType;
    }

    /** Returns the instruction that calls it. */
    long instruction() {
        return instruction;
    }

    /** Returns the address of what is called, 0 where the frame calls nothing. */
    long address() {
        return address;
    }

    /** Returns 8 bytes of what is called, 0 for what lies too far behind. */
    long word(int offset) {
        return offset < 0 || offset > OBJECT_BYTES - 8 || (offset & 7) != 0 ? 0 : object[offset / 8];
    }
}
