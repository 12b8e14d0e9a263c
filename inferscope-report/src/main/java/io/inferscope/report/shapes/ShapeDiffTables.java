package io.inferscope.report.shapes;

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
                ShapeLogTables.logs(difference.logs()));
    }

    private Table counts(String title, long total, List<Difference> operators) {
        return Table.of(title, firstOf(operators.size(), total), operators, (row, operator) -> {
            long before = operator.calls().get(0);
            long change = operator.calls().get(1) - before;
            row.name("Operator", operator.operation())
                    .count(first, before)
                    .count(second, before + change)
                    .number("Change", (change > 0 ? "+" : "") + Units.count(change))
                    .number("Ratio", Units.change((double) change / before))
                    .count("Shapes " + first, operator.shapes().get(0))
                    .count("Shapes " + second, operator.shapes().get(1))
                    .count("In both", operator.common());
        });
    }

    private static String firstOf(long listed, long total) {
        return total > listed ? listed + " of " + Units.count(total) + "." : "";
    }

    private static Table oneSided(String title, List<Difference> operators, int log) {
        return Table.of(
                title,
                "",
                operators,
                (row, operator) -> row.name("Operator", operator.operation())
                        .count("Calls", operator.calls().get(log))
                        .count("Shapes", operator.shapes().get(log)));
    }

    private static Table shapes(String title, long total, List<SignatureFigures> signatures) {
        return Table.of(
                title,
                firstOf(signatures.size(), total),
                signatures,
                (row, signature) -> row.name("Operator", signature.call().operation())
                        .count("Calls", signature.calls())
                        .number("First", ShapeText.callId(signature.firstCall()))
                        .number("FLOPs", Units.flops(signature.flops()))
                        .words("Inputs and outputs", ShapeText.call(signature.call())));
    }

    private Table errors() {
        return Table.of(
                "Failures that differ",
                "",
                difference.errors(),
                (row, error) -> row.name("Operator", error.signature().call().operation())
                        .count(first, error.firstCalls())
                        .count(second, error.secondCalls())
                        .words(
                                "Inputs and error",
                                ShapeText.call(error.signature().call())));
    }

    private Table examples() {
        List<List<String>> rows = new ArrayList<>();
        for (Example example : difference.examples()) {
            example.first().forEach(signature -> rows.add(example(example, first, signature)));
            example.second().forEach(signature -> rows.add(example(example, second, signature)));
        }
        return Table.of(
                "Examples",
                "The first shapes of an operator in each log.",
                rows,
                (row, cells) -> row.name("Operator", cells.get(0))
                        .words("Log", cells.get(1))
                        .words("Inputs and outputs", cells.get(2)));
    }

    private static List<String> example(Example example, String log, SignatureFigures signature) {
        return List.of(example.operation(), log, ShapeText.call(signature.call()));
    }
}
