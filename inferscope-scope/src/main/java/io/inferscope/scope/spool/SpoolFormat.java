package io.inferscope.scope.spool;

import java.nio.charset.StandardCharsets;

/** Numbers of docs/spool-format.md, version 1. */
final class SpoolFormat {
    static final byte[] FILE_MAGIC = "ISPOOL1\n".getBytes(StandardCharsets.US_ASCII);
    static final int MAJOR_VERSION = 1;
    static final int MINOR_VERSION = 1;
    static final int MINOR_VERSION_OF_DEVICES = 3;
    static final int FILE_HEADER_BYTES = 64;
    static final int FLAGS_OFFSET = 20;
    static final int DROPPED_OFFSET = 40;
    static final int SOURCE_BYTES = 16;
    static final int CLOSED_CLEANLY = 1;

    static final int BLOCK_MAGIC = 0x4b4c4253; // "SBLK", little-endian
    static final int BLOCK_HEADER_BYTES = 32;
    static final int SEALED = 1;

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

    static final int FLAG_USER = 1;
    static final int FLAG_THREW = 2;
    static final int FLAG_DRIVER = 1;
    static final int FLAG_THREAD_UNKNOWN = 4;
    static final int FLAG_HIDDEN = 1;

    private SpoolFormat() {}

    static int align(int length) {
        return (length + 7) & ~7;
    }
}
