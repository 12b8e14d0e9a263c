package io.inferscope.shapes.log;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.ZipException;

/**
 * The lines of a stream, each in one piece of a reused buffer. The buffer grows for a long line up to {@link
 * #MAX_LINE_BYTES}; of a longer one only the beginning is kept. A damaged or truncated stream ends at the last byte
 * that could be read; {@link #damage} gives the reason.
 */
final class LogLines {
    /** More than any operator's row: a list of 100,000 tensors. */
    static final int MAX_LINE_BYTES = 16 << 20;

    private static final int FIRST_BYTES = 1 << 18;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long NEWLINES = ONES * '\n';

    private final InputStream in;
    private byte[] bytes = new byte[FIRST_BYTES];
    private long baseBytes;
    private int limit;
    private int from;
    private int to;
    private int next;
    private long number;
    private long offsetBytes;
    private boolean tooLong;
    private boolean ended;
    private String damage = "";

    LogLines(InputStream in) {
        this.in = in;
    }

    /** Moves on to the next line. Returns false when there is none. */
    boolean next() throws IOException {
        from = next;
        int searched = from;
        tooLong = false;
        while (true) {
            to = newline(searched);
            if (to < limit) {
                next = to + 1;
                break;
            }
            int seen = limit - from;
            if (seen >= MAX_LINE_BYTES) {
                return skipRest();
            }
            if (!more()) {
                to = limit;
                next = limit;
                if (to == from) {
                    return false;
                }
                break;
            }
            searched = from + seen;
        }
        number++;
        offsetBytes = baseBytes + from;
        return true;
    }

    /** Skips the rest of a line that is too long, up to its newline. */
    private boolean skipRest() throws IOException {
        tooLong = true;
        offsetBytes = baseBytes + from;
        while (to == limit) {
            from = limit;
            if (!more()) {
                break;
            }
            to = newline(from);
        }
        next = Math.min(limit, to + 1);
        from = to;
        number++;
        return true;
    }

    /** Returns where the next newline at or after {@code at} is, {@link #limit} without one. Eight bytes at a time. */
    private int newline(int at) {
        while (at + 8 <= limit) {
            long word = (long) LONGS.get(bytes, at) ^ NEWLINES;
            long found = (word - ONES) & ~word & (ONES << 7);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            at += 8;
        }
        while (at < limit && bytes[at] != '\n') {
            at++;
        }
        return at;
    }

    /**
     * Moves the unfinished line to the start of the buffer and reads more bytes after it. Returns false when there is
     * nothing more.
     */
    private boolean more() throws IOException {
        int kept = limit - from;
        System.arraycopy(bytes, from, bytes, 0, kept);
        baseBytes += from;
        from = 0;
        limit = kept;
        if (kept > bytes.length / 2) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
        }
        while (limit < bytes.length && !ended) {
            try {
                int read = in.read(bytes, limit, bytes.length - limit);
                ended = read < 0;
                limit += Math.max(0, read);
            } catch (EOFException e) {
                damage = "cut short";
                ended = true;
            } catch (ZipException e) {
                damage = "damaged gzip stream: " + e.getMessage();
                ended = true;
            }
        }
        return limit > kept;
    }

    byte[] bytes() {
        return bytes;
    }

    int from() {
        return from;
    }

    /** Returns the end of the line, its newline not included. */
    int to() {
        return to;
    }

    /** Returns the number of the line, from 1. */
    long number() {
        return number;
    }

    /** Returns where the line begins in the stream. */
    long offsetBytes() {
        return offsetBytes;
    }

    long bytesRead() {
        return baseBytes + limit;
    }

    boolean isTooLong() {
        return tooLong;
    }

    String damage() {
        return damage;
    }
}
