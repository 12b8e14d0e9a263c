package io.inferscope.report.json;

import io.inferscope.analyzer.model.ColumnKind;
import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes;
import io.inferscope.analyzer.model.TableNotes.PathSize;
import io.inferscope.analyzer.tables.Tables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tables of the JSON report. Their columns are those of the rows. */
final class JsonFigures {
    private JsonFigures() {}

    static void write(JsonWriter json, Report report) throws IOException {
        JsonColumns rows = new JsonColumns(json);
        TableNotes notes = report.notesOnTables();
        LedgerPart part = notes.shapesPart();
        json.textOrNull("steadyState", notes.steadyState());
        json.textOrNull("operatorShapesPart", part == null ? "" : part.id());
        json.number("modulesLeftOut", notes.modulesLeftOut());
        List<TableId<?>> ofPath = new ArrayList<>();
        for (TableId<?> table : Tables.all()) {
            if (table.isOfPath()) {
                ofPath.add(table);
            } else if (table != ShapeTables.LOGGED_SHAPES || !report.rows(table).isEmpty()) {
                rows.write(table.name(), report.rows(table));
            }
        }
        PathSize path = notes.path();
        if (path == null) {
            json.nothing("criticalPath");
            return;
        }
        json.object("criticalPath", () -> {
            json.number("ns", path.pathNs());
            json.number("replayErrorNs", path.replayErrorNs());
            json.number("instants", path.instants());
            json.number("dependencies", path.dependencies());
            for (TableId<?> table : ofPath) {
                rows.write(table.member(), report.rows(table));
            }
        });
    }

    /** Writes the columns of rows as the members of objects. */
    private record JsonColumns(JsonWriter json) implements Columns {
        /** Writes an array of rows. */
        <T extends Row> void write(String id, List<T> rows) throws IOException {
            try {
                json.objects(id, rows, row -> row.columns(this));
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }

        @Override
        public Columns take(String id, ColumnKind kind, String heading, @Nullable Object value) {
            try {
                if (value == null) {
                    json.nothing(id);
                    return this;
                }
                switch (kind) {
                    case WORDS, WORDS_OR_NONE, NAME, NAME_OR_NONE, DIMS, TYPES_OR_NONE -> json.text(id, (String) value);
                    case ID, ID_OR_NONE, CLASS -> json.text(id, ((HasStableId) value).id());
                    case BASIS -> json.text(id, (Boolean) value ? "estimated" : "measured");
                    case FLAG -> json.flag(id, (Boolean) value);
                    case COUNT, NS, NS_OR_NONE, ERROR_NS, POINT, BYTES, BYTES_OR_NONE, SHARE ->
                        json.number(id, (Long) value);
                    case RATIO, VALUE -> json.decimal(id, (Double) value);
                    case FLOPS, FLOPS_PER_SECOND, TRAFFIC, BYTES_PER_SECOND -> json.whole(id, (Double) value);
                    case COUNTS -> counts(id, (Map<?, ?>) value);
                    case TENSORS -> tensors(id, (List<?>) value);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return this;
        }

        private void counts(String id, Map<?, ?> counts) throws IOException {
            json.object(id, () -> {
                for (Map.Entry<?, ?> count : new TreeMap<>(counts).entrySet()) {
                    json.number(JsonWriter.mended(String.valueOf(count.getKey())), (Long) count.getValue());
                }
            });
        }

        private void tensors(String id, List<?> tensors) throws IOException {
            new JsonShapeReport(json)
                    .tensors(id, tensors.stream().map(ShapeTensor.class::cast).toList());
        }

        @Override
        public <T extends Record & Row> Columns rows(String id, Class<T> type, List<T> rows) {
            try {
                write(id, rows);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return this;
        }

        @Override
        public void classes(Ledger ledger) {
            try {
                JsonRenderer.classes(json, ledger);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
