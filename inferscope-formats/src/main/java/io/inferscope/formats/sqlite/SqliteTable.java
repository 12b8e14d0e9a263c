package io.inferscope.formats.sqlite;

import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.formats.tables.OutputTable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes a table of a database. The caller ends the transaction. */
final class SqliteTable implements OutputTable {
    private static final int ROWS_PER_BATCH = 1 << 12;

    /** Columns by which other tables refer to rows. */
    private static final Set<String> KEYS = Set.of("row", "track_id", "stack_id");

    private final PreparedStatement insert;
    private int rows;

    /**
     * Creates the table.
     *
     * @throws SQLException when it cannot be created
     */
    SqliteTable(Connection connection, String name, List<OutputColumn> columns) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + SqliteSchema.quoted(name) + " ("
                    + Stream.concat(
                                    Stream.of(declared(
                                            columns.get(0),
                                            KEYS.contains(columns.get(0).name()))),
                                    columns.stream().skip(1).map(column -> declared(column, false)))
                            .collect(Collectors.joining(", "))
                    + ")");
        }
        insert = connection.prepareStatement("INSERT INTO " + SqliteSchema.quoted(name) + " VALUES ("
                + columns.stream().map(column -> "?").collect(Collectors.joining(", ")) + ")");
    }

    private static String declared(OutputColumn column, boolean key) {
        String type = switch (column.type()) {
            case NUMBER -> " INTEGER";
            case REAL -> " REAL";
            case TEXT -> " TEXT";
        };
        return SqliteSchema.quoted(column.name()) + type + (key ? " PRIMARY KEY" : "");
    }

    /** A step that the driver may refuse. */
    private interface Step {
        void run() throws SQLException;
    }

    private static void doing(Step step) throws IOException {
        try {
            step.run();
        } catch (SQLException e) {
            throw TimelineDatabase.unwritten(e);
        }
    }

    @Override
    public void number(int column, long value) throws IOException {
        doing(() -> insert.setLong(column + 1, value));
    }

    @Override
    public void real(int column, double value) throws IOException {
        doing(() -> insert.setDouble(column + 1, value));
    }

    @Override
    public void text(int column, String value) throws IOException {
        doing(() -> insert.setString(column + 1, value));
    }

    @Override
    public void nothing(int column) throws IOException {
        doing(() -> insert.setObject(column + 1, null));
    }

    @Override
    public void endRow() throws IOException {
        doing(insert::addBatch);
        if (++rows % ROWS_PER_BATCH == 0) {
            doing(insert::executeBatch);
        }
    }

    @Override
    public void finish() throws IOException {
        doing(insert::executeBatch);
    }

    @Override
    public void close() throws IOException {
        doing(insert::close);
    }
}
