package io.inferscope.formats.rocm;

import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteSchema;
import io.inferscope.formats.sqlite.SqliteTexts;
import io.inferscope.timeline.TimelineBuilder;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables of one recording, and the joins between them.
 *
 * <p>Releases keep stamps, process, thread, agent, queue and stream of a row in the row itself. A later layout of the
 * same version has them in rocpd_timestamp and rocpd_track. Each value is read from where it is. Joined tables are
 * accessed by key, row by row; nothing is sorted.
 */
final class RocpdTables implements AutoCloseable {
    private final SqliteFile file;
    private final String suffix;
    private final TimelineBuilder builder;
    private final SqliteTexts strings;
    private final SqliteTexts kernelNames;
    private final SqliteTexts kernelSymbols;
    private final Map<Long, RocmTracks.Agent> agents = new HashMap<>();

    RocpdTables(SqliteFile file, String suffix, TimelineBuilder builder) throws SQLException {
        this.file = file;
        this.suffix = suffix;
        this.builder = builder;
        this.strings = new SqliteTexts(file, table("string"), "id", "string", builder);
        this.kernelNames = new SqliteTexts(file, table("info_kernel_symbol"), "id", "display_name", builder);
        this.kernelSymbols = new SqliteTexts(file, table("info_kernel_symbol"), "id", "kernel_name", builder);
        file.scan(
                table("info_agent"),
                row -> {
                    String key = Long.toString(row.number(2, row.number(0, 0)));
                    String name = row.text(3).isEmpty() ? row.text(4) : row.text(3);
                    agents.put(
                            row.number(0, 0), new RocmTracks.Agent(row.text(1).equals("GPU"), key, name));
                },
                "id",
                "type",
                "type_index",
                "product_name",
                "name");
    }

    TimelineBuilder builder() {
        return builder;
    }

    SqliteFile file() {
        return file;
    }

    String table(String name) {
        return "rocpd_" + name + suffix;
    }

    String string(long id) {
        return strings.text(id);
    }

    String kernel(long id) {
        String name = kernelNames.text(id);
        String symbol = name.isEmpty() ? kernelSymbols.text(id) : name;
        return symbol.isEmpty() ? "kernel " + id : symbol;
    }

    /** Returns the agent with an id; an unknown one is a GPU named by its id. */
    RocmTracks.Agent agent(long id) {
        return agents.getOrDefault(id, new RocmTracks.Agent(true, Long.toString(id), ""));
    }

    /**
     * Passes every row of a table: {@code start}, {@code end}, {@code pid}, {@code tid}, the event's category, stack id
     * and message, then the requested columns, from the row or from its track.
     */
    void scan(String name, SqliteFile.Sink sink, String... columns) {
        String table = table(name);
        if (!file.schema().tables().contains(table)) {
            return;
        }
        List<String> selected = new ArrayList<>();
        selected.add(stamp(table, "start", "S"));
        selected.add(stamp(table, "end", "F"));
        selected.add(value(table, "pid"));
        selected.add(value(table, "tid"));
        selected.add(joined(table, "event_id", "event", "E", "category_id"));
        selected.add(joined(table, "event_id", "event", "E", "stack_id"));
        selected.add(message(table));
        for (String column : columns) {
            selected.add(value(table, column));
        }
        String joins = join(table, "start_id", "timestamp", "S")
                + join(table, "end_id", "timestamp", "F")
                + join(table, "timestamp_id", "timestamp", "P")
                + join(table, "event_id", "event", "E")
                + join(table, "track_id", "track", "T");
        file.query(table, String.join(", ", selected), joins, sink);
    }

    private String stamp(String table, String column, String joinedAs) {
        String own = file.schema().has(table, column) ? "R." + SqliteSchema.quoted(column) : "NULL";
        String point = file.schema().has(table, "timestamp")
                ? "R.\"timestamp\""
                : joined(table, "timestamp_id", "timestamp", "P", "value");
        String elsewhere = joined(table, column + "_id", "timestamp", joinedAs, "value");
        String value = !own.equals("NULL") ? own : !elsewhere.equals("NULL") ? elsewhere : point;
        return "CASE WHEN typeof(" + value + ") IN ('integer', 'real') THEN " + value + " END";
    }

    private String value(String table, String column) {
        return file.schema().has(table, column)
                ? "R." + SqliteSchema.quoted(column)
                : joined(table, "track_id", "track", "T", column);
    }

    /** The event's own JSON holds a marker's text. */
    private String message(String table) {
        String json = joined(table, "event_id", "event", "E", "extdata");
        return "CASE WHEN json_valid(" + json + ") THEN json_extract(" + json + ", '$.message') END";
    }

    /** Returns whether to join a table: only if its number is its key, so that each row is found directly. */
    private boolean joins(String table, String by, String target) {
        return file.schema().has(table, by) && file.schema().isRowNumber(table(target), "id");
    }

    private String joined(String table, String by, String target, String as, String column) {
        return joins(table, by, target) && file.schema().has(table(target), column)
                ? as + "." + SqliteSchema.quoted(column)
                : "NULL";
    }

    private String join(String table, String by, String target, String as) {
        return joins(table, by, target)
                ? " LEFT JOIN " + SqliteSchema.quoted(table(target)) + " " + as + " ON " + as + ".\"id\" = R."
                        + SqliteSchema.quoted(by)
                : "";
    }

    @Override
    public void close() throws SQLException {
        strings.close();
        kernelNames.close();
        kernelSymbols.close();
    }
}
