package io.inferscope.report.shapes;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.ShapeText;
import io.inferscope.report.tables.Table;
import io.inferscope.shapes.ShapeReport;
import io.inferscope.shapes.ShapeReport.Difference;
import io.inferscope.shapes.ShapeReport.LogFigures;
import io.inferscope.shapes.log.ShapeLogStats.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The tables of a shape report about the recordings: phases, passes, logs and how they differ. */
final class ShapeRunTables {
    private ShapeRunTables() {}

    static Table phases(ShapeReport report) {
        return new Table(
                "Phases",
                "",
                columns(
                        texts("Phase"),
                        numbers("Passes", "Calls", "Operators", "Shapes", "Errors", "FLOPs", "Least traffic")),
                report.phases().stream()
                        .map(phase -> List.of(
                                phase.name().isEmpty() ? "before any marker" : phase.name(),
                                Units.count(phase.passes()),
                                Units.count(phase.totals().calls()),
                                Units.count(phase.totals().operators()),
                                Units.count(phase.totals().shapes()),
                                Units.count(phase.totals().errors()),
                                ShapeLogTables.flops(phase.totals()),
                                ShapeLogTables.bytes(phase.totals())))
                        .toList());
    }

    static Table passes(ShapeReport report) {
        long more = report.passCount() - report.passes().size();
        return new Table(
                "Forward passes",
                more > 0 ? "The first " + report.passes().size() + " of " + Units.count(report.passCount()) + "." : "",
                columns(
                        numbers("Pass"),
                        texts("Phase"),
                        numbers("Calls", "Errors", "Elements out", "FLOPs", "Least traffic")),
                report.passes().stream()
                        .map(pass -> List.of(
                                Units.count(pass.number()),
                                pass.phase(),
                                Units.count(pass.totals().calls()),
                                Units.count(pass.totals().errors()),
                                Units.count(pass.totals().elements()),
                                ShapeLogTables.flops(pass.totals()),
                                ShapeLogTables.bytes(pass.totals())))
                        .toList());
    }

    static Table replays(ShapeReport report) {
        return new Table(
                "Operators in replays of CUDA graphs",
                "As the captures saw them; the other tables are without replays.",
                columns(
                        names("Operator"),
                        numbers("Calls in captures", "Calls in replays", "Elements out", "FLOPs", "Least traffic")),
                report.replays().stream()
                        .map(replay -> List.of(
                                replay.operation(),
                                Units.count(replay.captured()),
                                Units.count(replay.totals().calls()),
                                Units.count(replay.totals().elements()),
                                ShapeLogTables.flops(replay.totals()),
                                ShapeLogTables.bytes(replay.totals())))
                        .toList());
    }

    static Table differences(ShapeReport report) {
        String names = report.logs().stream().map(LogFigures::name).collect(Collectors.joining(" / "));
        return new Table(
                "Differences between the logs",
                Units.count(report.differenceCount()) + " operators are not alike in all logs. Per log: " + names + ".",
                columns(
                        names("Operator"),
                        numbers("Calls", "Shapes", "In all", "Calls of the example"),
                        texts("Example")),
                report.differences().stream().map(ShapeRunTables::difference).toList());
    }

    static List<String> difference(Difference difference) {
        return List.of(
                difference.operation(),
                perLog(difference.calls()),
                perLog(difference.shapes()),
                Units.count(difference.common()),
                difference.example() == null ? "" : perLog(difference.exampleCalls()),
                difference.example() == null ? "" : ShapeText.call(difference.example()));
    }

    static String perLog(List<Long> counts) {
        return counts.stream().map(Units::count).collect(Collectors.joining(" / "));
    }

    static Table logs(List<LogFigures> logs) {
        return new Table(
                "Logs",
                "",
                columns(
                        names("Log"),
                        numbers("Rank", "Calls", "Operators", "Shapes", "Errors"),
                        texts("Markers"),
                        numbers("Left out", "Malformed lines", "Last pass"),
                        texts("Summary file")),
                logs.stream()
                        .map(log -> List.of(
                                log.name(),
                                ShapeText.callId(log.rank()),
                                Units.count(log.totals().calls()),
                                Units.count(log.totals().operators()),
                                Units.count(log.totals().shapes()),
                                Units.count(log.totals().errors()),
                                log.markers().entrySet().stream()
                                        .map(marker -> marker.getKey() + " " + Units.count(marker.getValue()))
                                        .collect(Collectors.joining(", ")),
                                Units.count(log.leftOut()),
                                Units.count(log.stats().malformedLines()),
                                ShapeText.callId(log.lastPass()),
                                log.summary().isEmpty() ? "none" : log.summary()))
                        .toList());
    }

    static Table malformed(List<LogFigures> logs) {
        List<List<String>> rows = new ArrayList<>();
        for (LogFigures log : logs) {
            for (Place place : log.stats().malformed()) {
                rows.add(List.of(
                        log.name(), Units.count(place.line()), Units.count(place.offsetBytes()), place.problem()));
            }
        }
        return new Table(
                "Malformed lines",
                "The first of each log; all are counted.",
                columns(names("Log"), numbers("Line", "Byte"), texts("Problem")),
                rows);
    }
}
