package io.inferscope.shapes;

import io.inferscope.shapes.ShapeDifference.ErrorDifference;
import io.inferscope.shapes.ShapeDifference.Example;
import io.inferscope.shapes.ShapeReport.Difference;
import io.inferscope.shapes.ShapeReport.LogFigures;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Compares two collected logs. */
public final class ShapeDiff {
    private final ShapeCollection all;
    private final SignatureLists signatures;
    private final int top;

    private ShapeDiff(ShapeCollection all, int top) {
        this.all = all;
        this.signatures = new SignatureLists(all);
        this.top = top;
    }

    /**
     * Compares the two logs of a collection, both of which must have been closed.
     *
     * @param labels what to call them
     * @param onlyDifferences whether operators with the same calls and shapes in both logs are left out
     * @param examples parts of operator names, upper or lower case, for which the first shapes in each log are listed
     * @param top the most lines per list
     */
    public static ShapeDifference of(
            ShapeCollection all, List<String> labels, boolean onlyDifferences, List<String> examples, int top) {
        if (all.logs().size() != 2 || labels.size() != 2) {
            throw new IllegalArgumentException(all.logs().size() + " logs and " + labels.size() + " labels");
        }
        return new ShapeDiff(all, top).compare(labels, onlyDifferences, examples);
    }

    private ShapeDifference compare(List<String> labels, boolean onlyDifferences, List<String> examples) {
        List<Difference> differences = LogDifferences.of(all);
        List<Difference> alike = LogDifferences.alike(all);
        List<Difference> counts = differences.stream().filter(d -> isCommon(d)).toList();
        List<LogFigures> logs = ShapeAnalysis.of(all, "", new ShapeSections(false, false, false, 0, 0))
                .logs();
        return new ShapeDifference(
                labels,
                logs,
                counts.size() + alike.size(),
                first(differences, d -> d.calls().get(1) == 0),
                first(differences, d -> d.calls().get(0) == 0),
                first(counts, d -> true),
                counts.size(),
                onlyDifferences ? List.of() : first(alike, d -> true),
                only(0),
                only(1),
                List.of(onlyCount(0), onlyCount(1)),
                errors(),
                examples(examples),
                ReportWarnings.of(all, logs));
    }

    private static boolean isCommon(Difference difference) {
        return difference.calls().get(0) > 0 && difference.calls().get(1) > 0;
    }

    private List<Difference> first(List<Difference> differences, Predicate<Difference> which) {
        return differences.stream().filter(which).limit(top).toList();
    }

    private long calls(int log, int id) {
        return all.logs().get(log).calls(id);
    }

    private boolean isOnly(int log, int id) {
        return !all.isError(id) && calls(log, id) > 0 && calls(1 - log, id) == 0;
    }

    private List<SignatureFigures> only(int log) {
        return signatures.which(top, id -> isOnly(log, id)).stream()
                .map(signatures::of)
                .toList();
    }

    private long onlyCount(int log) {
        return IntStream.range(0, all.signatures().size())
                .filter(id -> isOnly(log, id))
                .count();
    }

    private List<ErrorDifference> errors() {
        return signatures.which(top, id -> all.isError(id) && calls(0, id) != calls(1, id)).stream()
                .map(id -> new ErrorDifference(signatures.of(id), calls(0, id), calls(1, id)))
                .toList();
    }

    private List<Example> examples(List<String> wanted) {
        List<Example> examples = new ArrayList<>();
        for (int operation = 0; operation < all.signatures().operationCount(); operation++) {
            String name = all.signatures().operationName(operation);
            String lower = name.toLowerCase(Locale.ROOT);
            if (wanted.stream().anyMatch(part -> lower.contains(part.toLowerCase(Locale.ROOT)))) {
                examples.add(new Example(name, first(0, operation), first(1, operation)));
            }
        }
        examples.sort(Comparator.comparing(Example::operation));
        return examples.stream().limit(Math.max(top, wanted.size())).toList();
    }

    /** Returns the signature of an operator's first call in a log. */
    private List<SignatureFigures> first(int log, int operation) {
        for (int id = 0; id < all.signatures().size(); id++) {
            if (all.operationOf(id) == operation && calls(log, id) > 0) {
                return List.of(signatures.of(id));
            }
        }
        return List.of();
    }
}
