package io.inferscope.formats.tables;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A table that is written row by row; columns are counted from 0, and each has a value or null in each row. */
public interface OutputTable extends Closeable {
    /** Puts a whole number into the row. */
    void number(int column, long value) throws IOException;

    /** Puts a number into the row. */
    void real(int column, double value) throws IOException;

    /** Puts a text into the row. */
    void text(int column, String value) throws IOException;

    /** Leaves a column of the row empty. */
    void nothing(int column) throws IOException;

    void endRow() throws IOException;

    /** Writes a row: a whole number, a {@link Double}, a text or null for each column. */
    default void row(@Nullable Object... values) throws IOException {
        for (int column = 0; column < values.length; column++) {
            Object value = values[column];
            if (value == null) {
                nothing(column);
            } else if (value instanceof Double real) {
                real(column, real);
            } else if (value instanceof Number number) {
                number(column, number.longValue());
            } else {
                text(column, value.toString());
            }
        }
        endRow();
    }

    /** Completes the table after its last row. */
    void finish() throws IOException;
}
