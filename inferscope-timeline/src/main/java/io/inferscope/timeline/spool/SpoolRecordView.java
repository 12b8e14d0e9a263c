package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import java.nio.ByteBuffer;

/**
 * The record a {@link SpoolReader} stands on. Fields beyond its end read as 0, as the format says. Valid during the
 * callback only.
 */
final class SpoolRecordView {
    private final ByteBuffer bytes;
    private int start;
    private int length;
    private long fileOffset;

    SpoolRecordView(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    void moveTo(int index, int newLength, long newFileOffset) {
        start = index;
        length = newLength;
        fileOffset = newFileOffset;
    }

    int type() {
        return u16(RECORD_HEADER_TYPE);
    }

    int flags() {
        return u16(RECORD_HEADER_FLAGS);
    }

    int length() {
        return length;
    }

    /** Returns where in the file the record starts. */
    long fileOffset() {
        return fileOffset;
    }

    int u8(int field) {
        return field + 1 <= length ? bytes.get(start + field) & 0xff : 0;
    }

    int u16(int field) {
        return field + 2 <= length ? bytes.getShort(start + field) & 0xffff : 0;
    }

    /** Returns a u32 that is an id or a count; the format's writers stay below 2^31. */
    int i32(int field) {
        return field + 4 <= length ? bytes.getInt(start + field) : 0;
    }

    long u32(int field) {
        return i32(field) & 0xffff_ffffL;
    }

    long i64(int field) {
        return field + 8 <= length ? bytes.getLong(start + field) : 0;
    }

    /** Copies {@code count} bytes of the body. */
    byte[] bytes(int field, int count) {
        byte[] copy = new byte[count];
        if (count > 0) { // A damaged record may end before the field, and at the buffer's end.
            bytes.get(start + field, copy);
        }
        return copy;
    }
}
