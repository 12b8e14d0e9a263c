package io.inferscope.report.shapes;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.ShapeText;
import io.inferscope.report.tables.Table;
import io.inferscope.shapes.ShapeDifference;
import io.inferscope.shapes.ShapeDifference.Example;
import io.inferscope.shapes.ShapeReport.Difference;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import java.util.ArrayList;
import java.util.List;

/** The tables of a comparison of two shape logs. */
final class ShapeDiffTables {
    private final ShapeDifference difference;
    private final String first;
    private final String second;

    ShapeDiffTables(ShapeDifference difference) {
        this.difference = difference;
        this.first = difference.labels().get(0);
        this.second = difference.labels().get(1);
    }

    List<Table> all() {
        return List.of(
                counts("Operators that differ", difference.countsTotal(), difference.counts()),
                oneSided("Operators only in " + first, difference.onlyFirst(), 0),
                oneSided("Operators only in " + second, difference.onlySecond(), 1),
                shapes("Shapes only in " + first, difference.shapesTotal().get(0), difference.shapesFirst()),
                shapes("Shapes only in " + second, difference.shapesTotal().get(1), difference.shapesSecond()),
                errors(),
                examples(),
                counts("Operators that are alike", difference.alike().size(), difference.alike()),
                ShapeRunTables.logs(difference.logs()));
    }

    private Table counts(String title, long total, List<Difference> operators) {
        return new Table(
                title,
                total > operators.size() ? operators.size() + " of " + Units.count(total) + "." : "",
                columns(
                        names("Operator"),
                        numbers(first, second, "Change", "Ratio", "Shapes " + first, "Shapes " + second, "In both")),
                operators.stream().map(ShapeDiffTables::count).toList());
    }

    private static List<String> count(Difference operator) {
        long before = operator.calls().get(0);
        long change = operator.calls().get(1) - before;
        return List.of(
                operator.operation(),
                Units.count(before),
                Units.count(before + change),
                (change > 0 ? "+" : "") + Units.count(change),
                Units.change((double) change / before),
                Units.count(operator.shapes().get(0)),
                Units.count(operator.shapes().get(1)),
                Units.count(operator.common()));
    }

    private static Table oneSided(String title, List<Difference> operators, int log) {
        return new Table(
                title,
                "",
                columns(names("Operator"), numbers("Calls", "Shapes")),
                operators.stream()
                        .map(operator -> List.of(
                                operator.operation(),
                                Units.count(operator.calls().get(log)),
                                Units.count(operator.shapes().get(log))))
                        .toList());
    }

    private static Table shapes(String title, long total, List<SignatureFigures> signatures) {
        return new Table(
                title,
                total > signatures.size() ? signatures.size() + " of " + Units.count(total) + "." : "",
                columns(names("Operator"), numbers("Calls", "First", "FLOPs"), texts("Inputs and outputs")),
                signatures.stream()
                        .map(signature -> List.of(
                                signature.call().operation(),
                                Units.count(signature.calls()),
                                ShapeText.callId(signature.firstCall()),
                                Units.flops(signature.flops()),
                                ShapeText.call(signature.call())))
                        .toList());
    }

    private Table errors() {
        return new Table(
                "Failures that differ",
                "",
                columns(names("Operator"), numbers(first, second), texts("Inputs and error")),
                difference.errors().stream()
                        .map(error -> List.of(
                                error.signature().call().operation(),
                                Units.count(error.firstCalls()),
                                Units.count(error.secondCalls()),
                                ShapeText.call(error.signature().call())))
                        .toList());
    }

    private Table examples() {
        List<List<String>> rows = new ArrayList<>();
        for (Example example : difference.examples()) {
            example.first().forEach(signature -> rows.add(example(example, first, signature)));
            example.second().forEach(signature -> rows.add(example(example, second, signature)));
        }
        return new Table(
                "Examples",
                "The first shapes of an operator in each log.",
                columns(names("Operator"), texts("Log", "Inputs and outputs")),
                rows);
    }

    private static List<String> example(Example example, String log, SignatureFigures signature) {
        return List.of(example.operation(), log, ShapeText.call(signature.call()));
    }
}
