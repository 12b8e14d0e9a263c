package io.inferscope.timeline.spool;

import java.nio.ByteBuffer;

/** The record a {@link SpoolReader} stands on. Fields beyond its end read as 0, as the format says. Valid during the callback only. */
final class SpoolRecordView {
    static final int STRING = 1;
    static final int PROCESS = 2;
    static final int CLOCK = 3;
    static final int THREAD = 4;
    static final int SPAN = 5;
    static final int MARK = 6;
    static final int THREAD_STATE = 7;
    static final int COVERAGE = 8;
    static final int COUNTER = 9;
    static final int OVERHEAD = 10;
    static final int FRAME = 11;
    static final int STACK = 12;
    static final int STACK_SAMPLE = 13;
    static final int HAND_OVER = 14;
    static final int REQUEST = 15;
    static final int NOTE = 16;
    static final int UNFINISHED = 31;
    static final int KERNEL = 32;
    static final int MEMCPY = 33;
    static final int MEMSET = 34;
    static final int API_CALL = 35;
    static final int SYNC = 36;
    static final int RECORDER_TIME = 37;
    static final int EXTERNAL_ID = 38;
    static final int CUDA_EVENT = 39;
    static final int MARKER = 40;
    static final int LANE = 41;
    static final int SHAPE = 42;
    static final int DEVICE = 43;
    static final int CONTEXT = 44;
    static final int HEARD = 45;

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
        return bytes.getShort(start) & 0xffff;
    }

    int flags() {
        return bytes.getShort(start + 2) & 0xffff;
    }

    int length() {
        return length;
    }

    /** Returns where in the file the record starts. */
    long fileOffset() {
        return fileOffset;
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
        bytes.get(start + field, copy);
        return copy;
    }
}
