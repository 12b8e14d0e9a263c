package io.inferscope.report.tables;

import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.model.Units;
import java.util.List;

/** Tables about the critical path. */
final class PathReportTables {
    private PathReportTables() {}

    static List<Table> of(Report report) {
        PathTables path = report.path();
        return List.of(
                table("Critical path by class", intro(path), path.classes(), report),
                table("Critical path by work", "", path.work(), report),
                table(
                        "Critical path by line",
                        "Device work counts for the line that launched it.",
                        path.lines(),
                        report),
                table("Longest pieces of the critical path", "", path.longest(), report),
                table(
                        "Threads and streams on the critical path",
                        "Slack is how much longer the tightest piece off the path could take without delaying the end.",
                        path.tracks(),
                        report));
    }

    private static Table table(String title, String intro, List<? extends Row> rows, Report report) {
        return RowTable.of(
                title, intro, rows, report.window().startNs(), report.path().pathNs());
    }

    private static String intro(PathTables path) {
        return "The longest chain of dependencies through the window: " + Units.duration(path.pathNs())
                + ". Work on it delays the end when it takes longer; other work does so only once its slack is used up. Computed from "
                + Units.count(path.dependencies()) + " dependencies of " + Units.count(path.instants())
                + " instants; replaying them unchanged misses the recorded time by "
                + Units.duration(path.replayErrorNs()) + ".";
    }
}
