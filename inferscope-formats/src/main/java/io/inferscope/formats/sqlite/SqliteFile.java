package io.inferscope.formats.sqlite;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;

/**
 * A SQLite database written by another program, opened read-only and immutable, so that no lock, journal or temporary
 * file appears beside it.
 *
 * <p>Its content is not trusted. Only plain tables are read, never views, which could compute for ever; tables are
 * scanned in their own order, never sorted; missing tables and columns count as empty. If a table is damaged, its rows
 * before and after the damage are used, the damage is counted, and the other tables are still read. A truncated file is
 * read as far as possible.
 */
public final class SqliteFile implements AutoCloseable {
    /**
     * Least bytes of a row: a pointer and a header in its page. More rows than this allows show a cycle in a damaged
     * tree.
     */
    private static final int MIN_ROW_BYTES = 2;

    /** Longest text. A longer one is damage. */
    private static final String MAX_VALUE_BYTES = Integer.toString(64 << 20);

    private final Connection connection;
    private final long sizeBytes;
    private final ImportStats.Builder stats;
    private final SqliteSchema schema;

    /** Takes the rows of a scan. */
    public interface Sink {
        void row(SqliteRow row) throws SQLException;
    }

    private SqliteFile(Connection connection, SqliteSchema schema, long sizeBytes, ImportStats.Builder stats) {
        this.connection = connection;
        this.schema = schema;
        this.sizeBytes = sizeBytes;
        this.stats = stats;
    }

    /**
     * Opens a database.
     *
     * @throws SQLException if the list of tables cannot be read
     */
    public static SqliteFile open(Path path, ImportStats.Builder stats) throws IOException, SQLException {
        SqliteLibrary.load();
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setPragma(SQLiteConfig.Pragma.LIMIT_LENGTH, MAX_VALUE_BYTES);
        Connection connection = connect(path, "immutable=1", config);
        try {
            prepare(connection);
            SqliteSchema schema = SqliteSchema.of(connection);
            SqliteHead.countMissingBytes(path, stats);
            return new SqliteFile(connection, schema, Files.size(path), stats);
        } catch (SQLException | IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Opens a file of any name; {@code how} is a parameter of https://www.sqlite.org/uri.html. */
    static Connection connect(Path path, String how, SQLiteConfig config) throws SQLException {
        String url = "jdbc:sqlite:file:" + path.toAbsolutePath().toUri().getRawPath() + "?" + how;
        return org.sqlite.JDBC.createConnection(url, config.toProperties());
    }

    private static void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // With a writable schema, SQLite opens a file that is shorter than its header states. The connection is
            // read-only, so nothing can be written.
            statement.execute("PRAGMA writable_schema = ON");
            statement.execute("PRAGMA trusted_schema = OFF");
            statement.execute("PRAGMA cell_size_check = ON");
            statement.execute("PRAGMA temp_store = MEMORY");
        }
    }

    /** Returns which tables and columns there are. */
    public SqliteSchema schema() {
        return schema;
    }

    /** Returns the number of rows of a table, 0 if it does not exist; damage is counted. */
    public long rowCount(String table) {
        if (!schema.tables().contains(table)) {
            return 0;
        }
        try (Statement statement = connection.createStatement();
                ResultSet result =
                        statement.executeQuery("SELECT count(*) FROM " + SqliteSchema.quoted(table) + " NOT INDEXED")) {
            return result.next() ? result.getLong(1) : 0;
        } catch (SQLException damage) {
            countDamage(table, damage);
            return 0;
        }
    }

    /**
     * Passes every row of a table in the table's own order; none if the table does not exist. Missing columns are null.
     * Columns whose name begins with {@code @} are stamps, in which values that are not numbers are null.
     */
    public void scan(String table, Sink sink, String... columns) {
        scanWhere(table, "", sink, columns);
    }

    /** Like {@link #scan}, for rows that meet a condition, which must name only existing columns. */
    public void scanWhere(String table, String condition, Sink sink, String... columns) {
        if (schema.tables().contains(table)) {
            query(table, schema.selected(table, columns), condition.isEmpty() ? "" : " WHERE " + condition, sink);
        }
    }

    /**
     * Passes columns of a table, which is named R in {@code selected}; {@code rest} follows the table's name. If a page
     * is damaged, the rows before it are passed, and then the rows after it from the table's end backwards.
     */
    public void query(String table, String selected, String rest, Sink sink) {
        String sql = "SELECT R.rowid, " + selected + " FROM " + SqliteSchema.quoted(table) + " R NOT INDEXED" + rest;
        long[] last = {Long.MIN_VALUE};
        try {
            run(sql, (row, number) -> {
                sink.row(row);
                last[0] = number;
                return true;
            });
        } catch (SQLException damage) {
            countDamage(table, damage);
            try {
                run(sql + " ORDER BY R.rowid DESC", (row, number) -> {
                    if (number > last[0]) {
                        sink.row(row);
                    }
                    return number > last[0];
                });
            } catch (SQLException sameDamage) {
                // The damage was reached from the end.
            }
        }
    }

    /** Receives a row and its number, and returns whether to continue. */
    private interface NumberedSink {
        boolean row(SqliteRow row, long number) throws SQLException;
    }

    private void run(String sql, NumberedSink sink) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            SqliteRow row = new SqliteRow(result);
            boolean goOn = true;
            for (long count = 0; goOn && result.next(); count++) {
                if (count > sizeBytes / MIN_ROW_BYTES) {
                    throw new SQLException("more rows than the file has room for");
                }
                goOn = sink.row(row, result.getLong(1));
            }
        }
    }

    /** Returns a statement for repeated use, which the caller closes. */
    PreparedStatement prepared(String sql) throws SQLException {
        return connection.prepareStatement(sql);
    }

    /** Counts a place that cannot be read. */
    void countDamage(String table, SQLException damage) {
        String message = damage.getMessage() == null ? "" : damage.getMessage();
        stats.count(Reason.MALFORMED, -1, "table " + table + ": " + message.replaceAll("\\s+", " "));
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
