package io.inferscope.formats.sqlite;

import io.inferscope.formats.tables.Column;
import io.inferscope.formats.tables.ExtraTable;
import io.inferscope.formats.tables.Table;
import io.inferscope.formats.tables.Tables;
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
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.sqlite.SQLiteConfig;

/** Writes a timeline as a database: the tables of docs/convert.md, also those without rows, and all rows together as {@code events}. */
final class TimelineDatabase {
    /** The view of all rows, with the columns that all of them have. */
    static final String EVENTS = "events";

    private TimelineDatabase() {}

    /** Uses a database; closes it, unless it is what it returns. */
    interface Use<T> {
        /** Uses it while its file has a name. */
        T use(Connection connection, Path file) throws IOException, SQLException;
    }

    /**
     * Writes into a file that loses its name after its use.
     *
     * @param extras tables that are no part of the timeline
     * @param wanted which tables are to be filled; others are there, and empty
     * @throws IOException when it cannot be written
     */
    static <T> T of(Timeline timeline, List<ExtraTable> extras, Predicate<String> wanted, Use<T> use)
            throws IOException {
        SqliteLibrary.load();
        Path folder = Files.createTempDirectory("inferscope-sqlite");
        Path file = folder.resolve("trace.sqlite");
        try {
            return use.use(write(timeline, extras, file, wanted), file);
        } catch (SQLException e) {
            throw unwritten(e);
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }

    /** Says why a database cannot be written. */
    static IOException unwritten(SQLException e) {
        return new IOException("the database cannot be written: " + e.getMessage(), e);
    }

    private static Connection write(Timeline timeline, List<ExtraTable> extras, Path file, Predicate<String> wanted)
            throws IOException, SQLException {
        SQLiteConfig config = new SQLiteConfig();
        // Whoever reads it later gets a whole file or none: there is nothing to roll back to.
        config.setJournalMode(SQLiteConfig.JournalMode.OFF);
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        config.setPragma(SQLiteConfig.Pragma.LIMIT_ATTACHED, "0");
        Connection connection = org.sqlite.JDBC.createConnection("jdbc:sqlite:" + file, config.toProperties());
        try {
            connection.setAutoCommit(false);
            new TimelineTables(timeline, new Target(connection, wanted)).write();
            for (ExtraTable extra : extras) {
                try (Table table = new SqliteTable(connection, extra.name(), extra.columns())) {
                    if (wanted.test(extra.name())) {
                        extra.write(table);
                    }
                    table.finish();
                }
            }
            finish(connection);
            return connection;
        } catch (SQLException | IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private record Target(Connection connection, Predicate<String> wanted) implements TimelineTables.Target {
        @Override
        public boolean takes(String name, int rows) {
            return true;
        }

        @Override
        public boolean fills(String name) {
            return wanted.test(name);
        }

        @Override
        public Table table(String name, List<Column> columns) throws IOException {
            try {
                return new SqliteTable(connection, name, columns);
            } catch (SQLException e) {
                throw unwritten(e);
            }
        }
    }

    private static void finish(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE INDEX links_from ON links (from_row)");
            statement.execute("CREATE INDEX links_to ON links (to_row)");
            String columns = Tables.ROW_COLUMNS.stream().map(Column::name).collect(Collectors.joining(", "));
            statement.execute("CREATE VIEW " + EVENTS + " AS "
                    + Arrays.stream(RowKind.values())
                            .map(kind -> "SELECT '" + kind.name().toLowerCase(Locale.ROOT) + "' AS kind, " + columns
                                    + " FROM " + SqliteSchema.quoted(Tables.of(kind)))
                            .collect(Collectors.joining(" UNION ALL ")));
        }
        connection.commit();
        connection.setAutoCommit(true);
    }
}
