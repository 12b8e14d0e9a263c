package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.importer.BlockInputStream;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A document, or its rest, that can be read again from the place that was last marked. So a parser that gave up inside
 * an event, and had read ahead, is followed by one that begins at the next event.
 */
final class RereadStream extends BlockInputStream {
    /** Most bytes kept from the mark on. */
    private static final int MAX_BYTES = 4 << 20;

    /** Bytes kept behind a mark that is too far away: a parser reads ahead by less. */
    private static final int LAST_BYTES = 1 << 16;

    private static final int BLOCK_BYTES = 1 << 13;

    /** Bytes before a place at which an event may begin that decide about it. */
    private static final int SEEN_BYTES = 64;

    private final InputStream in;
    private final TraceSource.@Nullable CountingStream raw;
    private final long rawOffset;
    private byte[] kept = new byte[2 * BLOCK_BYTES];
    /** Byte offset in the document of {@code kept[0]}. */
    private long baseBytes;
    /** Position in {@link #kept} of the next byte to deliver. */
    private int at;

    private int limit;
    private long markBytes;

    /** Reads from byte {@code offset} of a document on. */
    RereadStream(InputStream in, long offset) {
        this(in, offset, null);
    }

    /** Reads text that was repaired; {@code raw} knows how many bytes it took. */
    RereadStream(InputStream in, long offset, TraceSource.@Nullable CountingStream raw) {
        this.in = in;
        this.raw = raw;
        rawOffset = offset;
        baseBytes = offset;
        markBytes = offset;
    }

    /** Returns the byte offset in the document of what is delivered next. */
    long position() {
        return baseBytes + at;
    }

    /** Marks byte {@code offset} of the document. Bytes before it may be forgotten. */
    void mark(long offset) {
        markBytes = offset;
    }

    /** Returns how many bytes of the document were read, those before this stream included. */
    long bytesRead() {
        return raw == null ? baseBytes + limit : rawOffset + raw.count();
    }

    /** Returns whether the content continues after what was delivered. */
    boolean hasMore() throws IOException {
        return at < limit || fill();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (at == limit && !fill()) {
            return -1;
        }
        int count = Math.min(length, limit - at);
        System.arraycopy(kept, at, into, offset, count);
        at += count;
        return count;
    }

    private boolean fill() throws IOException {
        if (kept.length - limit < BLOCK_BYTES) {
            int from = (int) Math.max(0, Math.min(at, markBytes - baseBytes));
            if (limit - from > MAX_BYTES) {
                from = Math.max(from, at - LAST_BYTES);
            }
            System.arraycopy(kept, from, kept, 0, limit - from);
            baseBytes += from;
            at -= from;
            limit -= from;
            if (kept.length - limit < BLOCK_BYTES) {
                kept = Arrays.copyOf(kept, 2 * kept.length);
            }
        }
        int read = in.read(kept, limit, BLOCK_BYTES);
        limit += Math.max(0, read);
        return read > 0;
    }

    /** Goes back to the mark. Returns whether the bytes from there on are still kept. */
    boolean back() {
        boolean isKept = markBytes >= baseBytes && markBytes <= baseBytes + limit;
        at = isKept ? (int) (markBytes - baseBytes) : at;
        return isKept;
    }

    /** Returns whether only the end of a line follows, and perhaps a comma before it. */
    boolean endsWithLine() throws IOException {
        boolean line = false;
        while (hasMore()) {
            byte next = kept[at++];
            if (next != ',' && !isBlank(next)) {
                return false;
            }
            line |= next == '\n';
        }
        return line;
    }

    /** Goes to byte {@code offset}, or as near to it as bytes are kept. */
    void to(long offset) {
        at = (int) Math.max(0, Math.min(limit, offset - baseBytes));
    }

    /**
     * Goes on to the next place that looks like the begin of an event, behind the first byte of what is at the mark.
     *
     * @param damage where the damage is, behind which an event may begin
     * @return its byte offset, -1 if there is none up to the end
     */
    long nextEvent(long damage) throws IOException {
        while (hasMore() && (kept[at] == ',' || isBlank(kept[at]))) {
            at++;
        }
        at += hasMore() ? 1 : 0;
        int separator = (int) Math.min(limit, damage - baseBytes) - 1;
        while (separator > at && isBlank(kept[separator])) {
            separator--;
        }
        at = Math.max(at, separator);
        int found = EventStartFinder.first(kept, at, limit);
        while (found < 0) {
            at = -1 - found;
            mark(baseBytes + Math.max(0, at - SEEN_BYTES));
            if (!fill()) {
                return -1;
            }
            found = EventStartFinder.first(kept, at, limit);
        }
        at = found;
        return baseBytes + at;
    }

    private static boolean isBlank(byte b) {
        return b >= 0 && b <= ' ';
    }

    /**
     * Writes {@code NaN} over the last {@code inf} or {@code nan}, as C prints them, that ends at byte {@code offset} or
     * up to three bytes before it. Returns whether there was one.
     */
    boolean replaceNonFinite(long offset) {
        for (int end = (int) (offset - baseBytes); end > offset - baseBytes - 4 && end >= 3; end--) {
            if (end <= limit && JsonCursor.isNonFinite(kept, end - 3)) {
                kept[end - 3] = 'N';
                kept[end - 2] = 'a';
                kept[end - 1] = 'N';
                if (end > 3 && kept[end - 4] == '-') {
                    kept[end - 4] = ' ';
                }
                return true;
            }
        }
        return false;
    }

    /** Reads to the end without keeping anything. Returns how many bytes of the document there are. */
    long drain() throws IOException {
        do {
            at = limit;
            mark(baseBytes + limit);
        } while (fill());
        return bytesRead();
    }
}
