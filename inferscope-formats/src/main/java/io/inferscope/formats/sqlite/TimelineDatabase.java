package io.inferscope.formats.sqlite;

import io.inferscope.formats.common.TemporaryFolder;
import io.inferscope.formats.tables.ExtraTable;
import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.formats.tables.OutputTable;
import io.inferscope.formats.tables.TableNames;
import io.inferscope.formats.tables.TimelineTables;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteLimits;

/**
 * Writes a timeline as a database: the tables of docs/convert.md, also those without rows, and all rows together as
 * {@code events}; without what was captured in another recording.
 */
final class TimelineDatabase {
    /** The view of all rows, with the columns that all of them have. */
    static final String EVENTS = "events";

    /** Longest text that a query computes or reads; SQLite's own limit is a billion bytes. */
    static final int MOST_TEXT_BYTES = 16 << 20;

    /** Most columns of an answer, which all may have such a text. The driver's SQLite has no limit of its memory. */
    private static final int MOST_COLUMNS = 256;

    private TimelineDatabase() {}

    /**
     * Writes all of a timeline into a new file.
     *
     * @throws IOException when it cannot be written
     */
    static void write(Timeline timeline, Path file) throws IOException {
        SqliteLibrary.load();
        try (Connection connection = create(file)) {
            fill(connection, timeline, List.of(), table -> true);
        } catch (SQLException e) {
            throw unwritten(e);
        }
    }

    /**
     * Returns a read-only database, which the caller closes. The name of its file is deleted before anything is
     * written, so nothing remains however the process ends.
     *
     * @param extras tables that are not part of the timeline
     * @param wanted the tables to fill; others exist but are empty
     * @throws IOException when there is no room for the tables
     */
    static Connection nameless(Timeline timeline, List<ExtraTable> extras, Predicate<String> wanted)
            throws IOException {
        SqliteLibrary.load();
        Path folder = TemporaryFolder.make("inferscope-sqlite");
        try {
            Connection connection = nameless(folder);
            try {
                fill(connection, timeline, extras, wanted);
                execute(connection, "PRAGMA query_only = ON");
                SQLiteConnection limited = connection.unwrap(SQLiteConnection.class);
                limited.setLimit(SQLiteLimits.SQLITE_LIMIT_LENGTH, MOST_TEXT_BYTES);
                limited.setLimit(SQLiteLimits.SQLITE_LIMIT_COLUMN, MOST_COLUMNS);
                return connection;
            } catch (SQLException | IOException | RuntimeException e) {
                try (connection) {
                    throw e;
                }
            }
        } catch (SQLException | IOException e) {
            throw TemporaryFolder.unusable("the tables cannot be stored in it: " + e.getMessage(), e);
        }
    }

    private static Connection nameless(Path folder) throws IOException, SQLException {
        Path file = folder.resolve("trace.sqlite");
        try {
            return create(file);
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }

    /** Creates a database without locks: no other process knows the file, and some file systems have no locks. */
    private static Connection create(Path file) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        // No rollback is needed, because readers get a complete file or none.
        config.setJournalMode(SQLiteConfig.JournalMode.OFF);
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        config.setPragma(SQLiteConfig.Pragma.LIMIT_ATTACHED, "0");
        // Temporary files of sorting are beside the tables, instead of the folder that SQLite would choose.
        config.setTempStoreDirectory(TemporaryFolder.path().replace("'", "''"));
        return SqliteFile.connect(file, "nolock=1", config);
    }

    private static void fill(
            Connection connection, Timeline timeline, List<ExtraTable> extras, Predicate<String> wanted)
            throws IOException, SQLException {
        connection.setAutoCommit(false);
        new TimelineTables(timeline, new Target(connection, wanted)).write();
        for (ExtraTable extra : extras) {
            try (OutputTable table = new SqliteTable(connection, extra.name(), extra.columns())) {
                if (wanted.test(extra.name())) {
                    extra.write(table);
                }
                table.finish();
            }
        }
        execute(connection, "CREATE INDEX links_from ON links (from_row)");
        execute(connection, "CREATE INDEX links_to ON links (to_row)");
        execute(connection, "CREATE VIEW " + EVENTS + " AS " + allRows());
        connection.commit();
        connection.setAutoCommit(true);
    }

    private static String allRows() {
        String columns = TableNames.ROW_COLUMNS.stream().map(OutputColumn::name).collect(Collectors.joining(", "));
        return Arrays.stream(RowKind.values())
                .map(kind -> "SELECT '" + TableNames.of(kind) + "' AS kind, " + columns + " FROM "
                        + SqliteSchema.quoted(TableNames.of(kind)))
                .collect(Collectors.joining(" UNION ALL "));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private record Target(Connection connection, Predicate<String> wanted) implements TimelineTables.Target {
        @Override
        public boolean takes(String name, int rows) {
            return true;
        }

        /** Nothing reads them back, and they are no part of what is counted. */
        @Override
        public boolean takesCaptured() {
            return false;
        }

        @Override
        public boolean fills(String name) {
            return wanted.test(name);
        }

        @Override
        public OutputTable table(String name, List<OutputColumn> columns) throws IOException {
            try {
                return new SqliteTable(connection, name, columns);
            } catch (SQLException e) {
                throw unwritten(e);
            }
        }
    }

    /** Returns the exception for a database that cannot be written. */
    static IOException unwritten(SQLException e) {
        return new IOException("the database cannot be written: " + e.getMessage(), e);
    }
}
