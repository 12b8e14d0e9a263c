package io.inferscope.timeline.importer;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** A file to import, inflated on the fly when it is gzip by content. */
public final class TraceSource {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;

    /** Makes a source; nothing is opened yet. */
    public TraceSource(Path file) {
        this.file = file;
    }

    /** Returns the file. */
    public Path file() {
        return file;
    }

    /** Returns the file's name without its folder: the only part that belongs into a report. */
    public String name() {
        Path name = file.getFileName();
        return name == null ? file.toString() : name.toString();
    }

    /** Returns up to {@code count} first bytes of the inflated content; fewer when it is shorter or damaged. */
    public byte[] head(int count) throws IOException {
        byte[] head = new byte[count];
        int length = 0;
        try (InputStream in = open()) {
            for (int read = 0; length < count && read >= 0; length += Math.max(0, read)) {
                read = in.read(head, length, count - length);
            }
        } catch (java.io.EOFException | java.util.zip.ZipException damaged) {
            // What was inflated before the damage still tells the format.
        }
        return java.util.Arrays.copyOf(head, length);
    }

    /** Opens the content from its start. The caller closes it. */
    public CountingStream open() throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
        try {
            raw.mark(2);
            boolean gzip = raw.read() == 0x1f && raw.read() == 0x8b;
            raw.reset();
            return new CountingStream(gzip ? new GZIPInputStream(raw, BUFFER_BYTES) : raw);
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    /** A stream that knows how many bytes were read from it. */
    public static final class CountingStream extends FilterInputStream {
        private long count;

        private CountingStream(InputStream in) {
            super(in);
        }

        /** Returns how many bytes were read. */
        public long count() {
            return count;
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            count += value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int read = super.read(buffer, offset, length);
            count += Math.max(0, read);
            return read;
        }
    }
}
