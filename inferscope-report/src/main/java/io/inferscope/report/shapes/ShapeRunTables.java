package io.inferscope.report.shapes;

import static io.inferscope.report.tables.Table.name;
import static io.inferscope.report.tables.Table.number;
import static io.inferscope.report.tables.Table.words;

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
                List.of(
                        words("Phase"),
                        number("Passes"),
                        number("Calls"),
                        number("Operators"),
                        number("Shapes"),
                        number("Errors"),
                        number("FLOPs"),
                        number("Least traffic")),
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
                List.of(
                        number("Pass"),
                        words("Phase"),
                        number("Calls"),
                        number("Errors"),
                        number("Elements out"),
                        number("FLOPs"),
                        number("Least traffic")),
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
                List.of(
                        name("Operator"),
                        number("Calls in captures"),
                        number("Calls in replays"),
                        number("Elements out"),
                        number("FLOPs"),
                        number("Least traffic")),
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
                List.of(
                        name("Operator"),
                        number("Calls"),
                        number("Shapes"),
                        number("In all"),
                        number("Calls of the example"),
                        words("Example")),
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
                List.of(
                        name("Log"),
                        number("Rank"),
                        number("Calls"),
                        number("Operators"),
                        number("Shapes"),
                        number("Errors"),
                        words("Markers"),
                        number("Left out"),
                        number("Malformed lines"),
                        number("Last pass"),
                        words("Summary file")),
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
                List.of(name("Log"), number("Line"), number("Byte"), words("Problem")),
                rows);
    }
}
