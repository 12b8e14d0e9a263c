package io.inferscope.report.shapes;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.ShapeText;
import io.inferscope.report.tables.Table;
import io.inferscope.report.tables.Table.Cells;
import io.inferscope.shapes.ShapeReport;
import io.inferscope.shapes.ShapeReport.LogFigures;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import io.inferscope.shapes.ShapeReport.Totals;
import io.inferscope.shapes.log.ShapeLogStats.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The tables of a shape report. */
final class ShapeLogTables {
    private ShapeLogTables() {}

    /** Returns all tables, the shapes among them if wanted. */
    static List<Table> of(ShapeReport report, boolean shapes) {
        List<Table> tables = new ArrayList<>();
        tables.add(operators(report));
        if (shapes) {
            tables.add(shapes(report.shapes()));
        }
        tables.add(largest(report));
        tables.add(diversity(report));
        tables.add(phases(report));
        if (!report.quick()) {
            tables.add(passes(report));
        }
        tables.add(replays(report));
        tables.add(errors(report.errors()));
        tables.add(differences(report));
        tables.add(logs(report.logs()));
        tables.add(malformed(report.logs()));
        return tables;
    }

    private static Table operators(ShapeReport report) {
        long all = report.totals().calls();
        return Table.of("Operators by calls", "", report.operators(), (row, operator) -> {
            Totals totals = operator.totals();
            row.name("Operator", operator.name())
                    .count("Calls", totals.calls())
                    .number("Share", ShapeText.share(totals.calls(), all));
            if (!report.quick()) {
                row.count("Shapes", totals.shapes());
                work(row, totals);
            }
        });
    }

    /** Adds what calls did. */
    private static void work(Cells row, Totals totals) {
        row.count("Elements out", totals.elements());
        flopsAndTraffic(row, totals);
    }

    private static void flopsAndTraffic(Cells row, Totals totals) {
        row.number("FLOPs", ShapeText.known(Units.flops(totals.flops()), totals.workCalls()))
                .number("Least traffic", ShapeText.known(Units.bytes(totals.bytes()), totals.trafficCalls()));
    }

    private static Table shapes(List<SignatureFigures> signatures) {
        return Table.of(
                "Unique shapes",
                "By operator, most calls first. FLOPs and least traffic are of one call; size is that of its inputs and outputs.",
                signatures,
                (row, signature) -> row.name("Operator", signature.call().operation())
                        .count("Calls", signature.calls())
                        .number("First", ShapeText.callId(signature.firstCall()))
                        .number("FLOPs", Units.flops(signature.flops()))
                        .number("All FLOPs", ShapeText.allFlops(signature))
                        .number("Least traffic", Units.bytes(signature.bytes()))
                        .number("Size", ShapeText.bytes(signature.tensorBytes()))
                        .words("Inputs and outputs", ShapeText.call(signature.call())));
    }

    private static Table largest(ShapeReport report) {
        return Table.of(
                "Largest tensors",
                "",
                report.largest(),
                (row, tensor) -> row.name("Operator", tensor.operation())
                        .count("Elements", tensor.tensor().elements())
                        .number("Size", ShapeText.bytes(tensor.bytes()))
                        .count("Calls", tensor.calls())
                        .number("First", ShapeText.callId(tensor.firstCall()))
                        .words(
                                "As",
                                ((tensor.output() ? "output " : "input ") + ShapeText.name(tensor.tensor())).strip())
                        .words("Shape", ShapeText.shape(tensor.tensor())));
    }

    private static Table diversity(ShapeReport report) {
        return Table.of(
                "Shape diversity",
                "Operators with the most different shapes, which a compiler would specialise for or pad.",
                report.diversity(),
                (row, operator) -> row.name("Operator", operator.name())
                        .count("Shapes", operator.totals().shapes())
                        .count("Calls", operator.totals().calls()));
    }

    private static Table errors(List<SignatureFigures> errors) {
        return Table.of(
                "Operators that failed",
                "",
                errors,
                (row, error) -> row.name("Operator", error.call().operation())
                        .count("Calls", error.calls())
                        .number("First", ShapeText.callId(error.firstCall()))
                        .words("Log", error.firstLog())
                        .words("Inputs and error", ShapeText.call(error.call())));
    }

    private static Table phases(ShapeReport report) {
        return Table.of("Phases", "", report.phases(), (row, phase) -> {
            row.words("Phase", phase.name().isEmpty() ? "before any marker" : phase.name())
                    .count("Passes", phase.passes());
            calls(row, phase.totals());
            flopsAndTraffic(row, phase.totals());
        });
    }

    private static void calls(Cells row, Totals totals) {
        row.count("Calls", totals.calls())
                .count("Operators", totals.operators())
                .count("Shapes", totals.shapes())
                .count("Errors", totals.errors());
    }

    private static Table passes(ShapeReport report) {
        long more = report.passCount() - report.passes().size();
        return Table.of(
                "Forward passes",
                more > 0 ? "The first " + report.passes().size() + " of " + Units.count(report.passCount()) + "." : "",
                report.passes(),
                (row, pass) -> {
                    row.count("Pass", pass.number())
                            .words("Phase", pass.phase())
                            .count("Calls", pass.totals().calls())
                            .count("Errors", pass.totals().errors());
                    work(row, pass.totals());
                });
    }

    private static Table replays(ShapeReport report) {
        return Table.of(
                "Operators in replays of CUDA graphs",
                "As the captures saw them; the other tables are without replays.",
                report.replays(),
                (row, replay) -> {
                    row.name("Operator", replay.operation())
                            .count("Calls in captures", replay.captured())
                            .count("Calls in replays", replay.totals().calls());
                    work(row, replay.totals());
                });
    }

    private static Table differences(ShapeReport report) {
        String names = report.logs().stream().map(LogFigures::name).collect(Collectors.joining(" / "));
        return Table.of(
                "Differences between the logs",
                Units.count(report.differenceCount()) + " operators are not alike in all logs. Per log: " + names + ".",
                report.differences(),
                (row, difference) -> row.name("Operator", difference.operation())
                        .number("Calls", perLog(difference.calls()))
                        .number("Shapes", perLog(difference.shapes()))
                        .count("In all", difference.common())
                        .number(
                                "Calls of the example",
                                difference.example() == null ? "" : perLog(difference.exampleCalls()))
                        .words("Example", difference.example() == null ? "" : ShapeText.call(difference.example())));
    }

    private static String perLog(List<Long> counts) {
        return counts.stream().map(Units::count).collect(Collectors.joining(" / "));
    }

    static Table logs(List<LogFigures> logs) {
        return Table.of("Logs", "", logs, (row, log) -> {
            row.name("Log", log.name()).number("Rank", ShapeText.callId(log.rank()));
            calls(row, log.totals());
            row.words(
                            "Markers",
                            log.markers().entrySet().stream()
                                    .map(marker -> marker.getKey() + " " + Units.count(marker.getValue()))
                                    .collect(Collectors.joining(", ")))
                    .count("Left out", log.leftOut())
                    .count("Malformed lines", log.stats().malformedLines())
                    .number("Last pass", ShapeText.callId(log.lastPass()))
                    .words("Summary file", log.summary().isEmpty() ? "none" : log.summary());
        });
    }

    private static Table malformed(List<LogFigures> logs) {
        List<Map.Entry<String, Place>> places = logs.stream()
                .flatMap(log -> log.stats().malformed().stream().map(place -> Map.entry(log.name(), place)))
                .toList();
        return Table.of(
                "Malformed lines",
                "The first of each log; all are counted.",
                places,
                (row, place) -> row.name("Log", place.getKey())
                        .count("Line", place.getValue().line())
                        .count("Byte", place.getValue().offsetBytes())
                        .words("Problem", place.getValue().problem()));
    }
}
