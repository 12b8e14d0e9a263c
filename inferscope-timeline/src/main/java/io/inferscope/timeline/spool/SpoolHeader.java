package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.ImportStats.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The header of a spool.
 *
 * @param pid the recorded process, 0 for several
 * @param closedCleanly whether the writer closed the file
 * @param openedNs when it was opened, on the axis
 * @param openedRealtimeNs the same moment in Unix time
 * @param dropped how many records the writer dropped
 * @param whyDropped the reason, if the writer recorded it
 * @param source the recorder
 */
record SpoolHeader(
        int pid,
        boolean closedCleanly,
        long openedNs,
        long openedRealtimeNs,
        long dropped,
        Reason whyDropped,
        String source) {
    static final byte[] MAGIC = FILE_MAGIC.getBytes(StandardCharsets.US_ASCII);

    /** Reads the fields; {@code bytes} holds at least FILE_HEADER_BYTES, little-endian. */
    static SpoolHeader of(ByteBuffer bytes) {
        byte[] name = new byte[FILE_HEADER_BYTES - FILE_HEADER_SOURCE];
        bytes.get(FILE_HEADER_SOURCE, name);
        int length = 0;
        while (length < name.length && name[length] > ' ' && name[length] < 0x7f) {
            length++;
        }
        int flags = bytes.getInt(FILE_HEADER_FLAGS);
        return new SpoolHeader(
                bytes.getInt(FILE_HEADER_PID),
                (flags & FILE_HEADER_FLAG_CLOSED) != 0,
                bytes.getLong(FILE_HEADER_OPENED_NS),
                bytes.getLong(FILE_HEADER_OPENED_REALTIME_NS),
                Math.max(0, bytes.getLong(FILE_HEADER_DROPPED)),
                (flags & FILE_HEADER_FLAG_DISK_FULL) != 0
                        ? Reason.DISK_FULL
                        : (flags & FILE_HEADER_FLAG_CANNOT_GROW) != 0 ? Reason.CANNOT_GROW : Reason.RECORDER_DROPPED,
                new String(name, 0, length, StandardCharsets.US_ASCII));
    }
}
