package io.inferscope.formats.jfr;

import io.inferscope.formats.common.TemporaryFolder;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.TraceSource;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipException;

/**
 * The complete chunks of a flight recording. A chunk has its names at its end, so a truncated chunk cannot be read, but
 * those before it can. They are then copied to a separate file, as are those of a gzip file.
 *
 * <p>A chunk begins with, big-endian: magic, version (2 x 2 bytes), its size, two offsets, its start in Unix ns, ... (8
 * bytes each). Source: JDK, jdk.jfr.internal.consumer.ChunkHeader.
 *
 * @param file a file with only complete chunks
 * @param temporary whether it is deleted at the end
 * @param count how many chunks
 * @param startUnixNs when the first one begins
 */
record JfrChunks(Path file, boolean temporary, int count, long startUnixNs) implements AutoCloseable {
    private static final int HEADER_BYTES = 68;
    private static final int MAGIC = 0x464c5200;

    /** Finds the complete chunks; bytes after them are counted. */
    static JfrChunks of(TraceSource source, ImportStats.Builder stats) throws IOException {
        Scan scan = new Scan();
        try (TraceSource.CountingStream in = source.open()) {
            try {
                scan.scan(new DataInputStream(new java.io.BufferedInputStream(in, 1 << 16)));
            } catch (EOFException | ZipException e) {
                stats.count(Reason.TRUNCATED, scan.wholeBytes, "flight recording chunk");
            } finally {
                stats.bytes(Math.max(in.count(), scan.wholeBytes));
            }
        }
        if (scan.garbage) {
            stats.count(Reason.MALFORMED, scan.wholeBytes, "no flight recording chunk");
        }
        if (scan.chunks == 0 || scan.wholeBytes == Files.size(source.file())) {
            return new JfrChunks(source.file(), false, scan.chunks, scan.startUnixNs);
        }
        return new JfrChunks(prefix(source, scan.wholeBytes), true, scan.chunks, scan.startUnixNs);
    }

    private static Path prefix(TraceSource source, long bytes) throws IOException {
        Path copy = TemporaryFolder.makeFile("inferscope-", ".jfr");
        try (TraceSource.CountingStream in = source.open();
                OutputStream out = Files.newOutputStream(copy)) {
            byte[] buffer = new byte[1 << 16];
            long left = bytes;
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (read < 0) {
                    throw new EOFException(source.name() + " became shorter");
                }
                out.write(buffer, 0, read);
                left -= read;
            }
            return copy;
        } catch (IOException e) {
            Files.deleteIfExists(copy);
            throw e;
        }
    }

    private static final class Scan {
        private int chunks;
        private long wholeBytes;
        private long startUnixNs;
        private boolean garbage;

        /** Reads to the end of the last complete chunk; throws if the input ends inside a chunk. */
        void scan(DataInputStream in) throws IOException {
            for (int first = in.read(); first >= 0; first = in.read()) {
                int magic = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
                in.readInt();
                long size = in.readLong();
                in.readLong();
                in.readLong();
                long start = in.readLong();
                if (magic != MAGIC || (size != 0 && size < HEADER_BYTES)) {
                    garbage = true;
                    return;
                }
                if (size == 0) {
                    throw new EOFException("the chunk was being written");
                }
                in.skipNBytes(size - 40);
                startUnixNs = chunks++ == 0 ? start : startUnixNs;
                wholeBytes += size;
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (temporary) {
            Files.deleteIfExists(file);
        }
    }
}
