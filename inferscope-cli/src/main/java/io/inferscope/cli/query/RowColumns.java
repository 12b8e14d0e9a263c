package io.inferscope.cli.query;

import io.inferscope.analyzer.model.BlankRow;
import io.inferscope.analyzer.model.ColumnKind;
import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.Identified;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Row;
import io.inferscope.formats.tables.Column;
import io.inferscope.formats.tables.ExtraTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a row of the report as columns of a table for queries, whose names are spelled as in the other tables.
 */
final class RowColumns implements Columns {
    private static final Map<String, String> NAMES =
            Map.of("where", "place", "ns", "duration_ns", "boundNs", "error_bound_ns");

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
    private long startNs;

    private RowColumns() {}

    /** Returns rows as a table; {@code first} names the columns to begin with. */
    static <T extends Record & Row> ExtraTable table(
            String name, Class<T> type, List<String> first, Supplier<List<T>> rows) {
        Map<String, @Nullable Object> blank = of(BlankRow.of(type));
        List<String> names = new ArrayList<>(first);
        blank.keySet().stream().filter(column -> !first.contains(column)).forEach(names::add);
        List<Column> columns = names.stream()
                .map(column -> blank.get(column) instanceof Long ? Column.number(column) : Column.text(column))
                .toList();
        return new ExtraTable(name, columns, () -> {
            List<List<@Nullable Object>> lines = new ArrayList<>();
            for (T row : rows.get()) {
                Map<String, @Nullable Object> values = of(row);
                List<@Nullable Object> line = new ArrayList<>();
                names.forEach(column -> line.add(values.get(column)));
                lines.add(line);
            }
            return lines;
        });
    }

    private static Map<String, @Nullable Object> of(Row row) {
        RowColumns columns = new RowColumns();
        row.columns(columns);
        return columns.values;
    }

    @Override
    public Columns take(String id, ColumnKind kind, String heading, @Nullable Object value) {
        if (value instanceof Long ns && id.equals("startNs")) {
            startNs = ns;
        }
        if (value instanceof Long ns && id.equals("endNs")) {
            values.put("duration_ns", ns - startNs);
        } else {
            values.put(value instanceof LedgerPart ? "part" : name(id), cell(kind, value));
        }
        return this;
    }

    private static String name(String id) {
        return NAMES.getOrDefault(id, id.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT));
    }

    private static @Nullable Object cell(ColumnKind kind, @Nullable Object value) {
        if (kind == ColumnKind.BASIS) {
            return Boolean.TRUE.equals(value) ? "estimated" : "measured";
        }
        return value instanceof Identified constant ? constant.id() : value;
    }
}
