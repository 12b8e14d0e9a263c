package io.inferscope.formats.archive;

import io.inferscope.timeline.importer.BlockInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * The members of a tar archive. The library keeps everything that describes one member in memory and calls itself for
 * each of its headers: GNU long names, pax attributes, maps of sparse files. They are therefore limited together.
 */
final class TarMembers extends TarArchiveInputStream {
    /** PATH_MAX of Linux is 4 KiB, and an archive has two names for a link. */
    private static final int MAX_HEADER_BYTES = 64 << 10;

    private final Limited limited;

    TarMembers(InputStream in) {
        this(new Limited(in));
    }

    private TarMembers(Limited in) {
        super(in);
        limited = in;
    }

    /**
     * Returns the next member, or null at the end.
     *
     * @throws IOException if it is damaged, or what describes it is too long
     */
    TarArchiveEntry nextMember() throws IOException {
        long skipped = 1;
        while (skipped > 0 && getCurrentEntry() != null) {
            skipped = skip(Long.MAX_VALUE); // What is left of the last member is no header.
        }
        limited.leftBytes = MAX_HEADER_BYTES;
        TarArchiveEntry entry = getNextEntry();
        limited.leftBytes = Long.MAX_VALUE;
        return entry;
    }

    /** Counts what is read. */
    private static final class Limited extends BlockInputStream {
        private final InputStream in;
        private long leftBytes = Long.MAX_VALUE;

        Limited(InputStream in) {
            this.in = in;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = in.read(into, offset, length);
            count(Math.max(0, read));
            return read;
        }

        @Override
        public long skip(long bytes) throws IOException {
            return count(in.skip(bytes));
        }

        private long count(long bytes) throws IOException {
            leftBytes -= bytes;
            if (leftBytes < 0) {
                throw new IOException("a name or header in it is longer than " + (MAX_HEADER_BYTES >> 10) + " KiB");
            }
            return bytes;
        }
    }
}
