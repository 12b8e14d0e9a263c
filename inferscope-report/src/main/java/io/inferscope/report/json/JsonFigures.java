package io.inferscope.report.json;

import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.WorkTables;
import java.io.IOException;

/** The tables of the JSON report. Their columns are those of the rows. */
final class JsonFigures {
    private JsonFigures() {}

    static void write(JsonWriter json, Report report) throws IOException {
        JsonColumns rows = new JsonColumns(json);
        rows.write("devices", report.devices());
        rows.write("idleBlame", report.idleBlame());
        rows.write("scopes", report.scopes());
        rows.write("kernels", report.kernels());
        rows.write("copies", report.copies());
        rows.write("operators", report.operators());
        rows.write("threads", report.threads());
        rows.write("launches", report.launches());
        HostTables host = report.host();
        rows.write("hostTime", host.time());
        rows.write("waitedFor", host.waitedFor());
        rows.write("requests", host.requests());
        rows.write("machine", host.machine());
        rows.write("nativeModules", host.nativeModules());
        ShapeTables shapes = report.shapes();
        rows.write("graphs", shapes.graphs());
        LedgerPart part = shapes.part();
        json.textOrNull("operatorShapesPart", part == null ? "" : part.id());
        rows.write("operatorShapes", shapes.operators());
        rows.write("devicePeaks", shapes.peaks());
        rows.write("allocators", shapes.memory());
        WorkTables work = shapes.work();
        rows.write("kernelCategories", work.categories());
        rows.write("modules", work.modules());
        json.number("modulesLeftOut", work.modulesLeftOut());
        rows.write("kernelSequences", work.sequences());
        rows.write("launchQueues", work.queues());
        rows.write("collectives", work.collectives());
        rows.write("modelUtilisation", work.utilisation());
        rows.write("hloOperations", work.hlo());
        if (!shapes.logged().isEmpty()) {
            rows.write("loggedShapes", shapes.logged());
        }
        rows.write("sampledLines", report.sampledLines());
        rows.write("sampledFunctions", report.sampledFunctions());
        path(json, rows, report.path());
        StepTables steps = report.steps();
        json.textOrNull("steadyState", steps.evidence());
        rows.write("phases", steps.phases());
        rows.write("steps", steps.steps());
        rows.write("largestGaps", steps.gaps());
        rows.write("idleOperators", steps.operators());
        rows.write("requestTime", steps.requests());
    }

    private static void path(JsonWriter json, JsonColumns rows, PathTables path) throws IOException {
        if (!path.isKnown()) {
            json.nothing("criticalPath");
            return;
        }
        json.object("criticalPath", () -> {
            json.number("ns", path.pathNs());
            json.number("replayErrorNs", path.replayErrorNs());
            json.number("instants", path.instants());
            json.number("dependencies", path.dependencies());
            rows.write("classes", path.classes());
            rows.write("work", path.work());
            rows.write("lines", path.lines());
            rows.write("longest", path.longest());
            rows.write("tracks", path.tracks());
        });
    }
}
