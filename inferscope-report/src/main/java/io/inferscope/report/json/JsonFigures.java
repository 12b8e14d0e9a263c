package io.inferscope.report.json;

import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes;
import io.inferscope.analyzer.model.TableNotes.PathSize;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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
        for (TableId<?> table : TableId.all()) {
            if (table.isOfPath()) {
                ofPath.add(table);
            } else if (table != TableId.LOGGED_SHAPES || !report.rows(table).isEmpty()) {
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
}
