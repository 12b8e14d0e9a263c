package io.inferscope.batch.summary;

import static io.inferscope.batch.summary.SummaryTable.number;
import static io.inferscope.batch.summary.SummaryTable.text;
import static io.inferscope.batch.summary.SummaryTable.word;

import io.inferscope.batch.summary.SummaryTable.Cell;
import io.inferscope.batch.summary.SummaryTable.Part;
import io.inferscope.timeline.JsonValues;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The overview's tables of operations that models share and that only one of them has. */
final class OperationTables {
    private static final int MOST_SHARED = 20;
    private static final int MOST_NAMED = 6;
    private static final String MODELS = "models";
    private static final double PERCENT = 100.0;

    private OperationTables() {}

    static List<SummaryTable> of(List<Map<String, @Nullable Object>> comparison) {
        List<SummaryTable> tables = new ArrayList<>();
        comparison.forEach(subject -> add(subject, tables));
        return tables;
    }

    private static void add(Map<String, @Nullable Object> subject, List<SummaryTable> tables) {
        String where = " (" + JsonValues.text(subject, "tracer") + " " + JsonValues.text(subject, "mode") + ")";
        List<Map<String, @Nullable Object>> own = JsonValues.objects(subject, "by_model");
        if (!own.isEmpty()) {
            tables.add(new SummaryTable(
                    "Operators by model" + where,
                    "Operators in all " + own.size() + " models: " + count(subject, "operators_of_all")
                            + "; in at least one: "
                            + count(subject, "operators_of_any")
                            + ". Most similar: the model with the largest share of operators in both, of those in either.",
                    List.of(
                            word("model"),
                            number("operators"),
                            number("in no other"),
                            text("which"),
                            word("most alike")),
                    own.stream().map(model -> row(model, subject)).toList()));
        }
        for (String kind : OperationsComparison.KINDS) {
            List<Map<String, @Nullable Object>> shared =
                    JsonValues.objects(subject, OperationsComparison.SHARED + kind);
            if (!shared.isEmpty()) {
                tables.add(new SummaryTable(
                        "In common: " + kind + where,
                        "Of " + JsonValues.texts(subject, MODELS).size() + " models.",
                        List.of(text("name"), number(MODELS), number("occurrences")),
                        shared.stream()
                                .limit(MOST_SHARED)
                                .map(OperationTables::row)
                                .toList()));
            }
        }
    }

    private static long count(Map<String, ?> json, String member) {
        return (long) JsonValues.number(json, member);
    }

    private static List<Cell> row(Map<String, ?> own, Map<String, ?> subject) {
        String model = JsonValues.text(own, "model");
        List<Part> names = JsonValues.texts(own, "in_no_other").stream()
                .map(name -> new Part(name, ""))
                .toList();
        return List.of(
                Cell.of(model),
                Cell.of(count(own, "operators")),
                Cell.of(names.size()),
                Cell.first(MOST_NAMED, names),
                Cell.of(mostAlike(model, subject)));
    }

    /**
     * Returns the other model that is most similar to {@code model}, with the share of common operators; the first of
     * equal ones.
     */
    private static String mostAlike(String model, Map<String, ?> subject) {
        return JsonValues.objects(subject, "pairs").stream()
                .filter(pair -> JsonValues.texts(pair, MODELS).contains(model))
                .max(Comparator.<Map<String, @Nullable Object>>comparingDouble(OperationTables::ratio)
                        .thenComparing(pair -> other(pair, model), Comparator.reverseOrder()))
                .map(pair -> other(pair, model) + " " + Math.round(PERCENT * ratio(pair)) + " %")
                .orElse("");
    }

    /** Returns the share of the operators of a pair that both models have, from 0 to 1. */
    private static double ratio(Map<String, ?> pair) {
        double either = JsonValues.number(pair, "operators_of_either");
        return either == 0 ? 0 : JsonValues.number(pair, "operators_of_both") / either;
    }

    /** Returns the one of both models that is not {@code model}. */
    private static String other(Map<String, ?> pair, String model) {
        List<String> models = JsonValues.texts(pair, MODELS);
        return models.get(models.get(0).equals(model) ? 1 : 0);
    }

    private static List<Cell> row(Map<String, ?> shared) {
        return List.of(
                Cell.of(JsonValues.text(shared, "name")),
                Cell.of(count(shared, MODELS)),
                Cell.of(count(shared, "count")));
    }
}
