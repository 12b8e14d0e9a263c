package io.inferscope.formats.sqlite;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.TraceHead;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.function.Predicate;

/** Reads the first bytes of a SQLite database, without SQLite if they suffice. */
public final class SqliteHead {
    /** The first bytes of every SQLite 3 file: https://www.sqlite.org/fileformat2.html#magic_header_string. */
    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    private SqliteHead() {}

    /**
     * Returns whether an input is a SQLite database with a table that {@code isOurs}.
     *
     * @throws IOException if it is a database inside gzip or without a readable list of tables, or SQLite cannot be
     *     loaded
     */
    public static boolean holdsTable(TraceHead head, Predicate<String> isOurs) throws IOException {
        if (!head.startsWith(MAGIC)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(head.file())) {
            if (in.read() != MAGIC[0]) {
                throw new IOException(
                        "it is a SQLite database inside gzip, which cannot be read in place: unpack it with gunzip");
            }
        }
        try (SqliteFile file = SqliteFile.open(head.file(), new ImportStats.Builder())) {
            return file.schema().tables().stream().anyMatch(isOurs);
        } catch (SQLException damage) {
            throw new IOException(
                    "it is a damaged SQLite database, and not even its list of tables can be read", damage);
        }
    }

    /**
     * Counts bytes missing at the end of a file. The header has the page size at 16 and the page count at 28, big
     * endian: https://www.sqlite.org/fileformat2.html#the_database_header.
     */
    static void countMissingBytes(Path path, ImportStats.Builder stats) throws IOException {
        long sizeBytes = Files.size(path);
        try (InputStream in = Files.newInputStream(path)) {
            ByteBuffer header = ByteBuffer.wrap(in.readNBytes(32));
            if (header.limit() == 32) {
                int pageBytes = Short.toUnsignedInt(header.getShort(16));
                long statedBytes = Integer.toUnsignedLong(header.getInt(28)) * (pageBytes == 1 ? 1 << 16 : pageBytes);
                if (statedBytes > sizeBytes) {
                    stats.count(
                            Reason.TRUNCATED, sizeBytes, (statedBytes - sizeBytes) + " of " + statedBytes + " bytes");
                }
            }
        }
        stats.bytes(sizeBytes);
    }
}
