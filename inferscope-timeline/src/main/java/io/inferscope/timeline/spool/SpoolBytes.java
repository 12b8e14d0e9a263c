package io.inferscope.timeline.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A window on a file that may be long, growing or shrinking. It uses positional reads, never a mapping, and keeps only
 * the window in memory. The size is the one at the time of opening.
 */
final class SpoolBytes implements Closeable {
    /** Longest record that is accepted. */
    static final int WINDOW_BYTES = 1 << 20;

    private static final ByteBuffer ZEROS = ByteBuffer.allocate(WINDOW_BYTES).asReadOnlyBuffer();

    private final FileChannel channel;
    private final UnusedSpace unused;
    private final long size;
    private final ByteBuffer window;
    private long windowStart;

    SpoolBytes(Path file, UnusedSpace unused) throws IOException {
        this.unused = unused;
        channel = FileChannel.open(file, StandardOpenOption.READ);
        size = channel.size();
        // Small files get small buffers, because programs that fork leave thousands of them.
        window = ByteBuffer.allocate((int) Math.min(WINDOW_BYTES, size))
                .order(ByteOrder.LITTLE_ENDIAN)
                .limit(0);
    }

    long size() {
        return size;
    }

    /**
     * Makes {@code length} bytes at {@code offset} readable and returns their index in {@link #buffer}, -1 when the
     * file has fewer.
     */
    int at(long offset, int length) throws IOException {
        if (offset < 0 || length > WINDOW_BYTES || offset > size - length) {
            return -1;
        }
        if (offset < windowStart || offset + length > windowStart + window.limit()) {
            fill(offset);
        }
        int index = (int) (offset - windowStart);
        return index + length <= window.limit() ? index : -1;
    }

    /** The window's bytes; indices come from {@link #at} and hold until its next call. */
    ByteBuffer buffer() {
        return window;
    }

    /**
     * Passes over zeros, a window at a time: a hole of a sparse file has any length and costs nothing to make.
     *
     * @return the first byte from {@code start} on that is not zero, {@code end} if there is none; an earlier zero if
     *     the limit of unused space is reached, or the file has shrunk
     */
    long afterZeros(long start, long end) throws IOException {
        long position = start;
        while (position < end && !unused.isExhausted()) {
            int index = at(position, 1);
            if (index < 0) {
                break;
            }
            int length = (int) Math.min(end - position, window.limit() - index);
            int used = window.slice(index, length).mismatch(ZEROS.slice(0, length));
            int zeros = used < 0 ? length : used;
            unused.add(zeros);
            position += zeros;
            if (used >= 0) {
                break;
            }
        }
        return position;
    }

    private void fill(long offset) throws IOException {
        windowStart = offset;
        window.clear().limit((int) Math.min(window.capacity(), size - offset));
        while (window.hasRemaining()) {
            int read = channel.read(window, offset + window.position());
            if (read <= 0) { // The file has shrunk.
                break;
            }
        }
        window.flip();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
