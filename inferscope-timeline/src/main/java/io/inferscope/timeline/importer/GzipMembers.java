package io.inferscope.timeline.importer;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Inflates gzip (RFC 1952) of any number of members, as {@code cat a.gz b.gz} makes it. The JDK's own stream treats a
 * damaged header of a later member, or trailing bytes, as a regular end, loses the bytes inflated in the call that
 * found the damage, and recurses once for each empty member. This class delivers every byte before the damage and then
 * throws the damage, again at every further call: {@link EOFException} if a member is cut, {@link
 * TrailingBytesException} if other bytes follow the last member, and any other {@link ZipException} if a member is
 * damaged. Zeros after a member are padding (gzip(1), "trailing zeros").
 */
final class GzipMembers extends BlockInputStream {
    private static final int DEFLATE = 8;
    private static final int HAS_HEADER_CHECKSUM = 2;
    private static final int HAS_EXTRA = 4;
    private static final int HAS_NAME = 8;
    private static final int HAS_COMMENT = 16;
    /** Bytes of a header between its flags and its optional parts: time, level, system. */
    private static final int FIXED_REST_BYTES = 6;

    private final InputStream in;
    private final byte[] buffer;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    /** The unread bytes are between {@code at} and the end of the buffer's content. */
    private int at;

    private int limit;
    private long deflatedBytes;
    private boolean inMember;
    private boolean behindFirst;
    private boolean ended;
    private @Nullable IOException damage;

    GzipMembers(InputStream in, int bufferBytes) {
        this.in = in;
        this.buffer = new byte[bufferBytes];
    }

    /** Returns how many bytes were read of the gzip file. */
    long deflatedBytes() {
        return deflatedBytes;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (damage != null) {
            throw damage;
        }
        try {
            while (length > 0 && !ended) {
                if (!inMember && !begin()) {
                    ended = true;
                    break;
                }
                int count = inflate(into, offset, length);
                if (count > 0) {
                    return count;
                }
                endMember();
            }
            return length == 0 ? 0 : -1;
        } catch (EOFException | ZipException e) {
            damage = e;
            throw e;
        }
    }

    /** Reads a header. Returns false at the end of the file. */
    private boolean begin() throws IOException {
        int first = behindFirst ? afterPadding() : next();
        if (first < 0 && behindFirst) {
            return false;
        }
        if (first != 0x1f || needed() != 0x8b) {
            throw behindFirst ? new TrailingBytesException() : new ZipException("not gzip");
        }
        if (needed() != DEFLATE) {
            throw new ZipException("header of a member");
        }
        int flags = needed();
        skip(FIXED_REST_BYTES);
        skip((flags & HAS_EXTRA) == 0 ? 0 : needed() | needed() << 8);
        skipTexts(((flags & HAS_NAME) == 0 ? 0 : 1) + ((flags & HAS_COMMENT) == 0 ? 0 : 1));
        skip((flags & HAS_HEADER_CHECKSUM) == 0 ? 0 : 2);
        inflater.reset();
        inflater.setInput(buffer, at, limit - at);
        checksum.reset();
        inMember = true;
        behindFirst = true;
        return true;
    }

    private int afterPadding() throws IOException {
        int value = next();
        while (value == 0) {
            value = next();
        }
        return value;
    }

    private void skipTexts(int count) throws IOException {
        for (int ended = 0; ended < count; ) {
            ended += needed() == 0 ? 1 : 0;
        }
    }

    /** Returns how many bytes were inflated, 0 at the end of a member. */
    private int inflate(byte[] into, int offset, int length) throws IOException {
        while (!inflater.finished()) {
            long before = inflater.getBytesWritten();
            int count;
            try {
                count = inflater.inflate(into, offset, length);
            } catch (DataFormatException e) {
                count = (int) (inflater.getBytesWritten() - before);
                damage = new ZipException(e.getMessage() == null ? "invalid data" : e.getMessage());
                if (count == 0) {
                    throw damage;
                }
            }
            if (count > 0) {
                checksum.update(into, offset, count);
                return count;
            }
            if (inflater.needsDictionary()) {
                throw new ZipException("a dictionary is asked for");
            }
            if (inflater.needsInput()) {
                if (!fill()) {
                    throw new EOFException("gzip ends inside a member");
                }
                inflater.setInput(buffer, 0, limit);
            }
        }
        return 0;
    }

    private void endMember() throws IOException {
        at = limit - inflater.getRemaining();
        inMember = false;
        long expected = fourBytes();
        if (expected != checksum.getValue() || fourBytes() != (inflater.getBytesWritten() & 0xffffffffL)) {
            throw new ZipException("checksum or length of a member is not what was inflated");
        }
    }

    private long fourBytes() throws IOException {
        return needed() | (long) needed() << 8 | (long) needed() << 16 | (long) needed() << 24;
    }

    private void skip(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            needed();
        }
    }

    private int needed() throws IOException {
        int value = next();
        if (value < 0) {
            throw new EOFException("gzip ends in the header or the end of a member");
        }
        return value;
    }

    private int next() throws IOException {
        return at < limit || fill() ? buffer[at++] & 0xff : -1;
    }

    /** Refills the buffer if it is empty. Returns whether there are bytes. */
    private boolean fill() throws IOException {
        int read = in.read(buffer, 0, buffer.length);
        at = 0;
        limit = Math.max(0, read);
        deflatedBytes += limit;
        return read > 0;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }
}
