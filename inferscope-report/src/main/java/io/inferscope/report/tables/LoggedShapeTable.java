package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.ShapeTables.LoggedShape;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.ShapeText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table of shapes from a log of the whole run, with the recorded times of some of their calls. */
final class LoggedShapeTable {
    private LoggedShapeTable() {}

    static Table of(List<LoggedShape> shapes) {
        return new Table(
                "Unique shapes of the run",
                "Every call of the shape log, most work first. Host and device time are means of the calls with these inputs that are in the"
                        + " recording's windows of operators; a log itself has no times.",
                columns(
                        names("Operator"),
                        numbers(
                                "Calls",
                                "FLOPs of one",
                                "FLOPs of all",
                                "Least traffic",
                                "Timed calls",
                                "Host time",
                                "Device time"),
                        texts("Inputs and outputs")),
                shapes.stream().map(LoggedShapeTable::row).toList());
    }

    private static List<String> row(LoggedShape shape) {
        return List.of(
                shape.name(),
                Units.count(shape.calls()),
                flops(shape.flops(), 1),
                flops(shape.flops(), shape.calls()),
                shape.bytes() == null ? Units.ABSENT : Units.bytes(shape.bytes()),
                Units.count(shape.timedCalls()),
                mean(shape.hostNs(), shape.timedCalls()),
                mean(shape.deviceNs(), shape.timedCalls()),
                ShapeText.tensors(shape.inputs()) + " → " + ShapeText.tensors(shape.outputs()));
    }

    private static String flops(@Nullable Double ofOne, long calls) {
        return ofOne == null ? Units.ABSENT : Units.flops(ofOne * calls);
    }

    private static String mean(long ns, long calls) {
        return ns == 0 || calls == 0 ? Units.ABSENT : Units.duration(ns / calls);
    }
}
