package io.inferscope.timeline.spool;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The first 64 bytes of a spool.
 *
 * @param pid the recorded process, 0 when the spool speaks of several
 * @param closedCleanly whether the writer came to its end
 * @param openedNs when it was opened, on the axis
 * @param openedRealtimeNs the same moment in Unix time
 * @param dropped how many records the writer dropped
 * @param source who recorded
 */
record SpoolHeader(int pid, boolean closedCleanly, long openedNs, long openedRealtimeNs, long dropped, String source) {
    static final byte[] MAGIC = "ISPOOL1\n".getBytes(StandardCharsets.US_ASCII);
    static final int BYTES = 64;
    static final int MAJOR_VERSION = 1;
    private static final int SOURCE_BYTES = 16;

    /** Reads the fields; {@code bytes} holds at least {@link #BYTES}, little-endian. */
    static SpoolHeader of(ByteBuffer bytes) {
        byte[] name = new byte[SOURCE_BYTES];
        bytes.get(48, name);
        int length = 0;
        while (length < name.length && name[length] > ' ' && name[length] < 0x7f) {
            length++;
        }
        return new SpoolHeader(
                bytes.getInt(16),
                (bytes.getInt(20) & 1) != 0,
                bytes.getLong(24),
                bytes.getLong(32),
                Math.max(0, bytes.getLong(40)),
                new String(name, 0, length, StandardCharsets.US_ASCII));
    }
}
