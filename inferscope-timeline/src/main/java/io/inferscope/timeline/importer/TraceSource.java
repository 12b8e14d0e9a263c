package io.inferscope.timeline.importer;

import io.inferscope.timeline.TimelineBuilder;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** A file to import, inflated on the fly when it is gzip by content. Text in UTF-16 is delivered as UTF-8. */
public final class TraceSource {
    private static final int BUFFER_BYTES = 1 << 16;
    /** For smaller files, a thread costs more than it saves. */
    private static final int MIN_AHEAD_BYTES = 1 << 20;

    private final Path file;
    private final LongConsumer progress;

    /** Makes a source; nothing is opened yet. */
    public TraceSource(Path file) {
        this(file, bytes -> {});
    }

    /** Makes a source that reports the number of raw bytes after each read, on the reading thread. */
    public TraceSource(Path file, LongConsumer progress) {
        this.file = file;
        this.progress = progress;
    }

    public Path file() {
        return file;
    }

    /** Returns the file's name without its folder: the only part that reports show. */
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
            // The bytes before the damage still show the format.
        }
        return java.util.Arrays.copyOf(head, length);
    }

    /** Returns the size of the file, not inflated, in bytes. */
    public long sizeBytes() throws IOException {
        return Files.size(file);
    }

    /** Returns whether the content is the file's bytes as they are: neither gzip nor UTF-16, by content. */
    public boolean isPlain() throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] first = in.readNBytes(Utf16.HEAD_BYTES);
            return !isGzip(first) && Utf16.charset(first) == null;
        }
    }

    private boolean isGzip() throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return isGzip(in.readNBytes(2));
        }
    }

    private static boolean isGzip(byte[] first) {
        return first.length > 1 && first[0] == 0x1f && (first[1] & 0xff) == 0x8b;
    }

    /** Opens the content from its start. The caller closes it. */
    public CountingStream open() throws IOException {
        InputStream raw = Files.newInputStream(file);
        try {
            return new CountingStream(Utf16.decoded(
                    isGzip() ? new BoundedInflation(raw, BUFFER_BYTES) : new BufferedInputStream(raw, BUFFER_BYTES)));
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    /**
     * Opens the content from its start; gzip is inflated ahead on a thread of its own if the file is large enough. The
     * caller closes it.
     */
    public InputStream openAhead() throws IOException {
        InputStream raw = told(Files.newInputStream(file));
        try {
            if (isPlain()) {
                return raw;
            }
            if (!isGzip()) {
                return Utf16.decoded(new BufferedInputStream(raw, BUFFER_BYTES));
            }
            InputStream inflated = Utf16.decoded(new BoundedInflation(raw, BUFFER_BYTES));
            return sizeBytes() < MIN_AHEAD_BYTES ? inflated : new ReadAheadStream(inflated);
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    private InputStream told(InputStream in) {
        return new FilterInputStream(in) {
            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                int read = super.read(buffer, offset, length);
                progress.accept(Math.max(0, read));
                return read;
            }
        };
    }

    /** Opens a file that {@link #isPlain is plain} at byte {@code offset}. The caller closes it. */
    public InputStream openAt(long offset) throws IOException {
        FileChannel channel = FileChannel.open(file);
        try {
            return told(Channels.newInputStream(channel.position(offset)));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Throws if nothing was read from this file.
     *
     * @param otherwise the reason, if no damage was counted
     * @param remedy how to get a usable file
     */
    public void requireRows(TimelineBuilder builder, String otherwise, String remedy) throws ImportException {
        requireRows(builder, "usable event", otherwise, remedy);
    }

    /** Throws the same about other things than events; {@code otherwise} is empty if nothing is to be added. */
    public void requireRows(TimelineBuilder builder, String things, String otherwise, String remedy)
            throws ImportException {
        if (builder.rowCount() == 0) {
            String damage = builder.stats().build().damage();
            String reason = damage.isEmpty() ? otherwise : damage;
            throw new ImportException(
                    file.toString(), "no " + things + " in it" + (reason.isEmpty() ? "" : " (" + reason + ")"), remedy);
        }
    }

    /** A stream that knows how many bytes were read from it. */
    public static final class CountingStream extends FilterInputStream {
        private long count;

        /** Makes one over another stream, which is closed with it. */
        public CountingStream(InputStream in) {
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

    /** Inflates gzip within {@link InflationBound}. */
    private static final class BoundedInflation extends BlockInputStream {
        private final GzipMembers members;
        private final InflationBound bound;

        BoundedInflation(InputStream deflated, int bufferBytes) {
            members = new GzipMembers(deflated, bufferBytes);
            bound = new InflationBound("gzip", members::deflatedBytes);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int read = members.read(buffer, offset, length);
            bound.inflated(read);
            return read;
        }

        @Override
        public void close() throws IOException {
            members.close();
        }
    }
}
