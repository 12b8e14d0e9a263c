package io.inferscope.formats.tables;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table computed from a recording.
 *
 * @param name its name
 * @param columns its columns
 * @param rows its rows, computed when they are needed: per column a {@link Long}, a
 *     {@link Double}, a {@link String} or null
 */
public record ExtraTable(String name, List<OutputColumn> columns, Supplier<List<List<@Nullable Object>>> rows) {
    public ExtraTable {
        columns = List.copyOf(columns);
    }

    /** Writes all rows. */
    public void write(OutputTable table) throws IOException {
        for (List<@Nullable Object> row : rows.get()) {
            table.row(row.toArray());
        }
    }
}
