package io.inferscope.scope.spool;

import java.nio.charset.StandardCharsets;

/** Numbers of docs/spool-format.md, version 1. */
final class SpoolFormat {
    static final byte[] FILE_MAGIC = "ISPOOL1\n".getBytes(StandardCharsets.US_ASCII);
    static final int MAJOR_VERSION = 1;
    static final int MINOR_VERSION = 1;
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

    static final int FLAG_USER = 1;
    static final int FLAG_THREW = 2;

    private SpoolFormat() {}

    static int align(int length) {
        return (length + 7) & ~7;
    }
}
