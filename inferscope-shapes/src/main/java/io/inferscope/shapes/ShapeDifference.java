package io.inferscope.shapes;

import io.inferscope.shapes.ShapeReport.Difference;
import io.inferscope.shapes.ShapeReport.LogFigures;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import java.util.List;

/**
 * What differs between two shape logs.
 *
 * @param labels the names of the two logs
 * @param logs the figures of each log
 * @param commonOperators operators that both have
 * @param onlyFirst operators that the first alone has, most calls first, cut to the first
 * @param onlySecond operators that the second alone has, likewise
 * @param counts operators in both logs whose calls or shapes differ, largest difference first; cut
 * @param countsTotal how many of these there are
 * @param alike operators of both with the same calls and shapes, most calls first; empty when differences alone were
 *     asked for; cut
 * @param shapesFirst signatures that the first alone has, most calls first, cut; failures are among {@code errors}
 * @param shapesSecond signatures that the second alone has, likewise
 * @param shapesTotal how many signatures only one of the logs has: first log, second log
 * @param errors failures that are not equally frequent in both logs, cut
 * @param examples the operators that {@code examples} of the comparison asked for
 * @param cautions what a reader must know to trust the figures
 */
public record ShapeDifference(
        List<String> labels,
        List<LogFigures> logs,
        long commonOperators,
        List<Difference> onlyFirst,
        List<Difference> onlySecond,
        List<Difference> counts,
        long countsTotal,
        List<Difference> alike,
        List<SignatureFigures> shapesFirst,
        List<SignatureFigures> shapesSecond,
        List<Long> shapesTotal,
        List<ErrorDifference> errors,
        List<Example> examples,
        List<String> cautions) {
    /** A failure, with its calls in the first log and in the second. */
    public record ErrorDifference(SignatureFigures signature, long firstCalls, long secondCalls) {}

    /**
     * An operator's first signature in each log.
     *
     * @param first empty when the first log does not have the operator
     * @param second likewise
     */
    public record Example(String operation, List<SignatureFigures> first, List<SignatureFigures> second) {}

    /** Returns whether both hold the same calls. */
    public boolean isSame() {
        return onlyFirst.isEmpty() && onlySecond.isEmpty() && countsTotal == 0;
    }
}
