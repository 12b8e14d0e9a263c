package io.inferscope.formats.sqlite;

import io.inferscope.timeline.TimelineBuilder;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table of texts by number. Only texts that rows refer to are read, one by one, because such tables also contain
 * program output and source code. If the number is not the table's key, each access would be a scan, so all texts are
 * read at once.
 */
public final class SqliteTexts implements AutoCloseable {
    private final SqliteFile file;
    private final String table;
    private final TimelineBuilder builder;
    private final Map<Long, Integer> known = new HashMap<>();
    private final @Nullable PreparedStatement lookup;

    /** Opens the texts of a table, empty when it does not exist. */
    public SqliteTexts(SqliteFile file, String table, String idColumn, String textColumn, TimelineBuilder builder)
            throws SQLException {
        this.file = file;
        this.table = table;
        this.builder = builder;
        boolean readable = file.schema().has(table, idColumn) && file.schema().has(table, textColumn);
        boolean keyed = readable && file.schema().isRowNumber(table, idColumn);
        lookup = keyed
                ? file.prepared("SELECT " + SqliteSchema.quoted(textColumn) + " FROM " + SqliteSchema.quoted(table)
                        + " WHERE " + SqliteSchema.quoted(idColumn) + " = ?")
                : null;
        if (readable && !keyed) {
            file.scan(table, row -> known.put(row.number(0, 0), builder.name(row.text(1))), idColumn, textColumn);
        }
    }

    /** Returns the name id of a text; 0, the empty text, for a number that the table does not have. */
    public int nameId(long id) {
        return known.computeIfAbsent(id, key -> lookup == null || key == SqliteRow.ABSENT ? 0 : lookUp(lookup, key));
    }

    /** Returns a text, empty for a number that the table does not have. */
    public String text(long id) {
        return builder.text(nameId(id));
    }

    private int lookUp(PreparedStatement statement, long id) {
        try {
            statement.setLong(1, id);
            try (ResultSet found = statement.executeQuery()) {
                String text = found.next() ? found.getString(1) : null;
                return text == null ? 0 : builder.name(text);
            }
        } catch (SQLException damage) {
            file.countDamage(table, damage);
            return 0;
        }
    }

    @Override
    public void close() throws SQLException {
        if (lookup != null) {
            lookup.close();
        }
    }
}
