package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.importer.BlockInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * A part of a document in memory that moves forward. At least {@link #PADDING} bytes after {@link #limit} are zero, so
 * that a scan may read words past the end without finding a match there.
 *
 * <p>The window grows when one element does not fit into it, up to {@link #MAX_BYTES}: the memory bound of reading.
 */
final class ByteWindow {
    /** Readable bytes past the limit. */
    static final int PADDING = 16;
    /** Largest window; the slow path streams larger elements. */
    static final int MAX_BYTES = 64 << 20;

    private static final int FIRST_BYTES = 1 << 20;

    private byte[] bytes;
    private int limit;
    private long baseBytes;
    private InputStream in;
    private @Nullable IOException damage;
    private boolean ended;

    ByteWindow() {
        this(FIRST_BYTES);
    }

    /** Makes a window that starts small, for tests of its borders. */
    ByteWindow(int firstBytes) {
        bytes = new byte[firstBytes + PADDING];
        in = InputStream.nullInputStream();
    }

    /** Restarts at byte {@code offset} of a document, whose bytes from there on {@code newIn} delivers. */
    void reset(InputStream newIn, long offset) {
        in = newIn;
        baseBytes = offset;
        limit = 0;
        damage = null;
        ended = false;
        Arrays.fill(bytes, 0, PADDING, (byte) 0);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Returns how many bytes of {@link #bytes} are content. */
    int limit() {
        return limit;
    }

    /** Returns the byte offset in the document of {@code bytes[0]}. */
    long baseBytes() {
        return baseBytes;
    }

    /** Returns the damage that cut the content, null for none. */
    @Nullable
    IOException damage() {
        return damage;
    }

    /**
     * Moves the bytes from {@code bytes[from]} on to the front and reads more after them.
     *
     * @return false if there are no more bytes, or no room for more
     */
    boolean more(int from) throws IOException {
        int kept = limit - from;
        System.arraycopy(bytes, from, bytes, 0, kept);
        baseBytes += from;
        limit = kept;
        if (kept > bytes.length / 2 && bytes.length < MAX_BYTES) {
            bytes = Arrays.copyOf(bytes, Math.min(MAX_BYTES, bytes.length * 2) + PADDING);
        }
        fill();
        Arrays.fill(bytes, limit, limit + PADDING, (byte) 0);
        return limit > kept;
    }

    private void fill() throws IOException {
        int room = bytes.length - PADDING;
        while (limit < room && !ended) {
            try {
                int read = in.read(bytes, limit, room - limit);
                ended = read < 0;
                limit += Math.max(0, read);
            } catch (EOFException | ZipException e) {
                damage = e;
                ended = true;
            }
        }
    }

    /**
     * Returns a stream of the content from {@code bytes[from]} on, damage included. The window must not be used while
     * the stream is read.
     */
    InputStream rest(int from) {
        return new BlockInputStream() {
            private int at = from;

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                if (at < limit) {
                    int count = Math.min(length, limit - at);
                    System.arraycopy(bytes, at, into, offset, count);
                    at += count;
                    return count;
                }
                if (damage != null) {
                    throw damage;
                }
                return ended ? -1 : in.read(into, offset, length);
            }
        };
    }
}
