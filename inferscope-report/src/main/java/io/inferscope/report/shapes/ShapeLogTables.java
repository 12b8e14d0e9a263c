package io.inferscope.report.shapes;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.ShapeText;
import io.inferscope.report.tables.Table;
import io.inferscope.shapes.ShapeReport;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import io.inferscope.shapes.ShapeReport.Totals;
import java.util.ArrayList;
import java.util.List;

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
        tables.add(ShapeRunTables.phases(report));
        if (!report.quick()) {
            tables.add(ShapeRunTables.passes(report));
        }
        tables.add(ShapeRunTables.replays(report));
        tables.add(errors(report.errors()));
        tables.add(ShapeRunTables.differences(report));
        tables.add(ShapeRunTables.logs(report.logs()));
        tables.add(ShapeRunTables.malformed(report.logs()));
        return tables;
    }

    private static Table operators(ShapeReport report) {
        long all = report.totals().calls();
        List<Table.Column> columns = new ArrayList<>(columns(names("Operator"), numbers("Calls", "Share")));
        if (!report.quick()) {
            columns.addAll(numbers("Shapes", "Elements out", "FLOPs", "Least traffic"));
        }
        List<List<String>> rows = report.operators().stream()
                .map(operator -> {
                    Totals totals = operator.totals();
                    List<String> row = new ArrayList<>(List.of(
                            operator.name(), Units.count(totals.calls()), ShapeText.share(totals.calls(), all)));
                    if (!report.quick()) {
                        row.addAll(List.of(
                                Units.count(totals.shapes()),
                                Units.count(totals.elements()),
                                flops(totals),
                                bytes(totals)));
                    }
                    return row;
                })
                .toList();
        return new Table("Operators by calls", "", columns, rows);
    }

    static String flops(Totals totals) {
        return ShapeText.known(Units.flops(totals.flops()), totals.workCalls());
    }

    static String bytes(Totals totals) {
        return ShapeText.known(Units.bytes(totals.bytes()), totals.trafficCalls());
    }

    static Table shapes(List<SignatureFigures> signatures) {
        return new Table(
                "Unique shapes",
                "By operator, most calls first. FLOPs and least traffic are of one call; size is that of its inputs and outputs.",
                columns(
                        names("Operator"),
                        numbers("Calls", "First", "FLOPs", "All FLOPs", "Least traffic", "Size"),
                        texts("Inputs and outputs")),
                signatures.stream().map(ShapeLogTables::shape).toList());
    }

    private static List<String> shape(SignatureFigures signature) {
        return List.of(
                signature.call().operation(),
                Units.count(signature.calls()),
                ShapeText.callId(signature.firstCall()),
                Units.flops(signature.flops()),
                ShapeText.allFlops(signature),
                Units.bytes(signature.bytes()),
                ShapeText.bytes(signature.tensorBytes()),
                ShapeText.call(signature.call()));
    }

    private static Table largest(ShapeReport report) {
        return new Table(
                "Largest tensors",
                "",
                columns(names("Operator"), numbers("Elements", "Size", "Calls", "First"), texts("As", "Shape")),
                report.largest().stream()
                        .map(tensor -> List.of(
                                tensor.operation(),
                                Units.count(tensor.tensor().elements()),
                                ShapeText.bytes(tensor.bytes()),
                                Units.count(tensor.calls()),
                                ShapeText.callId(tensor.firstCall()),
                                tensor.output()
                                        ? ("output " + ShapeText.name(tensor.tensor())).strip()
                                        : ("input " + ShapeText.name(tensor.tensor())).strip(),
                                ShapeText.shape(tensor.tensor())))
                        .toList());
    }

    private static Table diversity(ShapeReport report) {
        return new Table(
                "Shape diversity",
                "Operators with the most different shapes, which a compiler would specialise for or pad.",
                columns(names("Operator"), numbers("Shapes", "Calls")),
                report.diversity().stream()
                        .map(operator -> List.of(
                                operator.name(),
                                Units.count(operator.totals().shapes()),
                                Units.count(operator.totals().calls())))
                        .toList());
    }

    private static Table errors(List<SignatureFigures> errors) {
        return new Table(
                "Operators that failed",
                "",
                columns(names("Operator"), numbers("Calls", "First"), texts("Log", "Inputs and error")),
                errors.stream()
                        .map(error -> List.of(
                                error.call().operation(),
                                Units.count(error.calls()),
                                ShapeText.callId(error.firstCall()),
                                error.firstLog(),
                                ShapeText.call(error.call())))
                        .toList());
    }
}
