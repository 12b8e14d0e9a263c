package io.inferscope.scope.spool;

import java.nio.ByteBuffer;

/**
 * Appends records to a block, whose bytes after its position must be zero. Fields are set by their offset in the
 * record.
 */
final class RecordOutput {
    private final ByteBuffer block;
    private int start;

    RecordOutput(ByteBuffer block) {
        this.block = block;
    }

    /** Begins a record of {@code bytes} bytes, a multiple of 8, header included. */
    RecordOutput record(int type, int flags, int bytes) {
        start = block.position();
        block.putLong(start, type | (long) flags << 16 | (long) bytes << 32);
        block.position(start + bytes);
        return this;
    }

    RecordOutput u8(int field, int value) {
        block.put(start + field, (byte) value);
        return this;
    }

    RecordOutput u16(int field, int value) {
        block.putShort(start + field, (short) value);
        return this;
    }

    RecordOutput i32(int field, int value) {
        block.putInt(start + field, value);
        return this;
    }

    RecordOutput i64(int field, long value) {
        block.putLong(start + field, value);
        return this;
    }

    RecordOutput bytes(int field, byte[] source, int count) {
        block.put(start + field, source, 0, count);
        return this;
    }
}
