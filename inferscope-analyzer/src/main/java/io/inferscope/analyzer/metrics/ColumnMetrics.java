package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.BlankRow;
import io.inferscope.analyzer.model.ColumnKind;
import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.Row;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table as metrics, {@code longestGapNs} of {@code device} as {@code device.longest-gap-ns}. With
 * several rows, a metric is the largest value over the rows.
 */
final class ColumnMetrics {
    /** Short names of the most used metrics. */
    private static final Map<String, String> SHORT = new HashMap<>();

    static {
        KnowledgeTable.read(ColumnMetrics.class, "short-names.tsv", row -> row)
                .forEach(row -> SHORT.put(row[0], row[1]));
    }

    private ColumnMetrics() {}

    /**
     * Returns a metric for each column that holds amounts.
     *
     * @param table prefix of their names
     * @param rows returns the rows; none if nothing is recorded
     */
    static <T extends Record & Row> List<Metric> of(String table, Class<T> type, Function<FigureSource, List<T>> rows) {
        List<Metric> metrics = new ArrayList<>();
        BlankRow.of(type).columns(new Amounts() {
            @Override
            void amount(String id, ColumnKind kind, @Nullable Number value) {
                String name = name(table, id);
                metrics.add(new Metric(
                        name,
                        SHORT.getOrDefault(name, ""),
                        kind.unit().orElseThrow(),
                        "",
                        facts -> largest(rows.apply(facts), id)));
            }

            @Override
            public void doc(String doc) {
                int last = metrics.size() - 1;
                metrics.set(last, metrics.get(last).described(doc));
            }
        });
        return metrics;
    }

    private static String name(String table, String id) {
        String words = id.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        return table + '.' + words.replaceAll("^max-", "longest-").replaceAll("^min-", "least-");
    }

    private static OptionalDouble largest(List<? extends Row> rows, String column) {
        DoubleStream.Builder values = DoubleStream.builder();
        for (Row row : rows) {
            row.columns(new Amounts() {
                @Override
                void amount(String id, ColumnKind kind, @Nullable Number value) {
                    if (id.equals(column) && value != null) {
                        values.add(value.doubleValue());
                    }
                }
            });
        }
        return values.build().max();
    }

    /** Takes those columns that hold amounts. */
    private abstract static class Amounts implements Columns {
        abstract void amount(String id, ColumnKind kind, @Nullable Number value);

        @Override
        public Columns take(String id, ColumnKind kind, String heading, @Nullable Object value) {
            if (kind.unit().isPresent()) {
                amount(id, kind, (Number) value);
                return this;
            }
            return IGNORED;
        }

        @Override
        public Columns derived(String id, ColumnKind kind, @Nullable Object value) {
            return IGNORED;
        }

        @Override
        public <T extends Record & Row> Columns rows(String id, Class<T> type, List<T> rows) {
            return IGNORED;
        }
    }

    /** Takes nothing. */
    private static final Columns IGNORED = new Columns() {
        @Override
        public Columns take(String id, ColumnKind kind, String heading, @Nullable Object value) {
            return this;
        }
    };
}
