package io.inferscope.formats.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * One row of a scan, valid until the next one. Columns are counted from 0, in the requested order, after the row's
 * number.
 */
public final class SqliteRow {
    /** Marks a missing number. */
    public static final long ABSENT = Long.MIN_VALUE;

    /** JDBC counts from 1, and the first column is the row's number. */
    private static final int FIRST = 2;

    private final ResultSet result;

    SqliteRow(ResultSet result) {
        this.result = result;
    }

    /** Returns a whole number, {@code otherwise} when it is null or the table has no such column. */
    public long number(int column, long otherwise) throws SQLException {
        long value = result.getLong(column + FIRST);
        return value == 0 && result.wasNull() ? otherwise : value;
    }

    /** Returns a whole number, {@link #ABSENT} when it is null or the table has no such column. */
    public long number(int column) throws SQLException {
        return number(column, ABSENT);
    }

    /** Returns bytes, none when it is null or the table has no such column. */
    public byte[] bytes(int column) throws SQLException {
        byte[] value = result.getBytes(column + FIRST);
        return value == null ? new byte[0] : value;
    }

    /** Returns a text, empty when it is null or the table has no such column. Bytes that are not UTF-8 are replaced. */
    public String text(int column) throws SQLException {
        String value = result.getString(column + FIRST);
        return value == null ? "" : value;
    }
}
