package io.inferscope.timeline.importer;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** Text in UTF-16, as PowerShell's {@code >} writes it. Importers read UTF-8 alone. */
final class Utf16 {
    static final int HEAD_BYTES = 4;

    private Utf16() {}

    /** Returns the encoding of content by its first bytes, null if it is not UTF-16. */
    static @Nullable Charset charset(byte[] first) {
        if (first.length < HEAD_BYTES) {
            return null;
        }
        int mark = (first[0] & 0xff) << 8 | (first[1] & 0xff);
        if ((mark == 0xfeff && first[2] == 0) || (isAscii(first[1], first[0]) && isAscii(first[3], first[2]))) {
            return StandardCharsets.UTF_16BE;
        }
        return (mark == 0xfffe && first[3] == 0) || (isAscii(first[0], first[1]) && isAscii(first[2], first[3]))
                ? StandardCharsets.UTF_16LE
                : null;
    }

    private static boolean isAscii(byte low, byte high) {
        return high == 0 && (low >= ' ' || low == '\n' || low == '\r' || low == '\t');
    }

    /** Returns the content as UTF-8 if it is UTF-16, otherwise as it is. */
    static InputStream decoded(InputStream in) throws IOException {
        byte[] head = new byte[HEAD_BYTES];
        int length = 0;
        try {
            for (int read = 0; read >= 0 && length < HEAD_BYTES; length += Math.max(0, read)) {
                read = in.read(head, length, HEAD_BYTES - length);
            }
        } catch (EOFException | ZipException damaged) {
            // The stream throws it again, after the bytes before the damage.
        }
        byte[] first = Arrays.copyOf(head, length);
        InputStream whole = new Behind(first, in);
        Charset charset = charset(first);
        return charset == null ? whole : JsonText.encoded(new InputStreamReader(whole, charset), whole);
    }

    /**
     * A stream behind its first bytes. It delivers these even if the stream throws, skips as the stream does, and is at
     * its end when closed: parsers close what they read to the end.
     */
    private static final class Behind extends BlockInputStream {
        private final ByteArrayInputStream first;
        private final InputStream rest;
        private boolean closed;

        Behind(byte[] first, InputStream rest) {
            this.first = new ByteArrayInputStream(first);
            this.rest = rest;
        }

        private InputStream next() {
            return closed ? InputStream.nullInputStream() : first.available() > 0 ? first : rest;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return next().read(into, offset, length);
        }

        @Override
        public long skip(long count) throws IOException {
            return next().skip(count);
        }

        @Override
        public void close() throws IOException {
            closed = true;
            rest.close();
        }
    }
}
