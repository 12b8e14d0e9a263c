package io.inferscope.formats.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The plain tables of a database and their columns. Views, virtual tables and tables without row numbers count as
 * missing.
 */
public final class SqliteSchema {
    private final Map<String, Set<String>> columnsByTable = new TreeMap<>();
    private final Set<String> rowNumbers = new TreeSet<>();

    private SqliteSchema() {}

    static SqliteSchema of(Connection connection) throws SQLException {
        SqliteSchema schema = new SqliteSchema();
        List<String> tables = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT name FROM sqlite_master WHERE type = 'table' AND name IS NOT NULL AND rootpage > 0 AND sql LIKE 'CREATE TABLE%' AND sql NOT LIKE '%WITHOUT ROWID%'")) {
            while (found.next()) {
                tables.add(found.getString(1));
            }
        }
        for (String table : tables) {
            schema.columnsByTable.put(table, schema.columnsOf(connection, table));
        }
        return schema;
    }

    private Set<String> columnsOf(Connection connection, String table) throws SQLException {
        Set<String> columns = new TreeSet<>();
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT name, pk, upper(type) = 'INTEGER' FROM pragma_table_info(?)")) {
            statement.setString(1, table);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    columns.add(found.getString(1));
                    if (found.getInt(2) == 1 && found.getInt(3) == 1) {
                        rowNumbers.add(table + '\n' + found.getString(1));
                    }
                }
            }
        }
        return columns;
    }

    /** Returns the names of the plain tables. */
    public Set<String> tables() {
        return columnsByTable.keySet();
    }

    public boolean has(String table, String column) {
        return columnsByTable.getOrDefault(table, Set.of()).contains(column);
    }

    /** Returns whether a column is the table's key, by which a row is found directly. */
    public boolean isRowNumber(String table, String column) {
        return rowNumbers.contains(table + '\n' + column);
    }

    /**
     * Returns the columns of a query: missing ones are NULL, stamps (marked by {@code @}) are NULL if they are not
     * numbers.
     */
    String selected(String table, String... columns) {
        List<String> expressions = new ArrayList<>();
        for (String column : columns) {
            boolean stamp = column.startsWith("@");
            String name = stamp ? column.substring(1) : column;
            if (!has(table, name)) {
                expressions.add("NULL");
            } else if (stamp) {
                expressions.add(
                        "CASE WHEN typeof(" + quoted(name) + ") IN ('integer', 'real') THEN " + quoted(name) + " END");
            } else {
                expressions.add("R." + quoted(name));
            }
        }
        return String.join(", ", expressions);
    }

    public static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
