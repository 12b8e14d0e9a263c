package io.inferscope.cli.query;

import io.inferscope.analyzer.model.BlankRow;
import io.inferscope.analyzer.model.ColumnKind;
import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Row;
import io.inferscope.formats.tables.ExtraTable;
import io.inferscope.formats.tables.OutputColumn;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a row of the report as columns of a table for queries, whose names are spelled as in the other tables.
 */
final class RowColumns implements Columns {
    private static final Map<String, String> NAMES =
            Map.of("where", "place", "ns", "duration_ns", "boundNs", "error_bound_ns");

    private static final Set<ColumnKind> REAL = EnumSet.of(
            ColumnKind.RATIO,
            ColumnKind.VALUE,
            ColumnKind.FLOPS,
            ColumnKind.FLOPS_PER_SECOND,
            ColumnKind.TRAFFIC,
            ColumnKind.BYTES_PER_SECOND);

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
    private final Map<String, ColumnKind> kinds = new HashMap<>();
    private long startNs;

    private RowColumns() {}

    /** Returns rows as a table; {@code first} names the columns to begin with. */
    static <T extends Record & Row> ExtraTable table(
            String name, Class<T> type, List<String> first, Supplier<List<T>> rows) {
        RowColumns blank = of(BlankRow.of(type));
        List<String> names = new ArrayList<>(first);
        blank.values.keySet().stream().filter(column -> !first.contains(column)).forEach(names::add);
        List<OutputColumn> columns = names.stream()
                .map(column -> column(column, blank.kinds.get(column)))
                .toList();
        return new ExtraTable(name, columns, () -> {
            List<List<@Nullable Object>> lines = new ArrayList<>();
            for (T row : rows.get()) {
                Map<String, @Nullable Object> values = of(row).values;
                List<@Nullable Object> line = new ArrayList<>();
                names.forEach(column -> line.add(values.get(column)));
                lines.add(line);
            }
            return lines;
        });
    }

    private static RowColumns of(Row row) {
        RowColumns columns = new RowColumns();
        row.columns(columns);
        return columns;
    }

    private static OutputColumn column(String name, @Nullable ColumnKind kind) {
        return kind == null || !(kind == ColumnKind.FLAG || kind.type().startsWith("number"))
                ? OutputColumn.text(name)
                : REAL.contains(kind) ? new OutputColumn(name, OutputColumn.Type.REAL) : OutputColumn.number(name);
    }

    /** Returns the name of a member of the JSON report as the name of a table or column. */
    static String name(String id) {
        return NAMES.getOrDefault(id, id.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT));
    }

    @Override
    public Columns take(String id, ColumnKind kind, String heading, @Nullable Object value) {
        if (value instanceof Long ns && id.equals("startNs")) {
            startNs = ns;
        }
        if (value instanceof Long ns && id.equals("endNs")) {
            put("duration_ns", kind, ns - startNs);
        } else {
            put(value instanceof LedgerPart ? "part" : name(id), kind, cell(kind, value));
        }
        return this;
    }

    private void put(String name, ColumnKind kind, @Nullable Object value) {
        values.put(name, value);
        kinds.put(name, kind);
    }

    private static @Nullable Object cell(ColumnKind kind, @Nullable Object value) {
        if (kind == ColumnKind.BASIS) {
            return Boolean.TRUE.equals(value) ? "estimated" : "measured";
        }
        if (value instanceof Boolean flag) {
            return flag ? 1L : 0L;
        }
        if (value instanceof Map<?, ?> counts) {
            return new TreeMap<>(counts)
                    .entrySet().stream()
                            .map(count -> "\"" + count.getKey() + "\": " + count.getValue())
                            .collect(Collectors.joining(", ", "{", "}"));
        }
        return value instanceof HasStableId constant ? constant.id() : value;
    }
}
