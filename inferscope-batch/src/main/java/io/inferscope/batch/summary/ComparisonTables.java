package io.inferscope.batch.summary;

import static io.inferscope.batch.summary.SummaryTable.number;
import static io.inferscope.batch.summary.SummaryTable.text;
import static io.inferscope.batch.summary.SummaryTable.word;

import io.inferscope.batch.summary.Comparison.Alike;
import io.inferscope.batch.summary.Comparison.Own;
import io.inferscope.batch.summary.Comparison.Shared;
import io.inferscope.batch.summary.Comparison.Subject;
import io.inferscope.batch.summary.SummaryTable.Cell;
import io.inferscope.batch.summary.SummaryTable.Part;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The overview's tables of operations that models share and that only one of them has. */
final class ComparisonTables {
    private static final int MOST_SHARED = 20;
    private static final int MOST_NAMED = 6;
    private static final double PERCENT = 100.0;

    private ComparisonTables() {}

    static List<SummaryTable> of(Comparison comparison) {
        List<SummaryTable> tables = new ArrayList<>();
        comparison.subjects().forEach(subject -> add(subject, tables));
        return tables;
    }

    private static void add(Subject subject, List<SummaryTable> tables) {
        String where = " (" + subject.tracer() + " " + subject.mode() + ")";
        if (!subject.own().isEmpty()) {
            tables.add(new SummaryTable(
                    "Operators by model" + where,
                    "Operators in all " + subject.own().size() + " models: " + subject.operatorsOfAll()
                            + "; in at least one: "
                            + subject.operatorsOfAny()
                            + ". Most similar: the model with the largest share of operators in both, of those in either.",
                    List.of(
                            word("model"),
                            number("operators"),
                            number("in no other"),
                            text("which"),
                            word("most alike")),
                    subject.own().stream().map(own -> row(own, subject)).toList()));
        }
        subject.shared().forEach((kind, shared) -> {
            if (!shared.isEmpty()) {
                tables.add(new SummaryTable(
                        "In common: " + kind + where,
                        "Of " + subject.models().size() + " models.",
                        List.of(text("name"), number("models"), number("occurrences")),
                        shared.stream()
                                .limit(MOST_SHARED)
                                .map(ComparisonTables::row)
                                .toList()));
            }
        });
    }

    private static List<Cell> row(Own own, Subject subject) {
        List<Part> names = own.alone().stream().map(name -> new Part(name, "")).toList();
        return List.of(
                Cell.of(own.model()),
                Cell.of(own.operators()),
                Cell.of(own.alone().size()),
                Cell.first(MOST_NAMED, names),
                Cell.of(mostAlike(own.model(), subject)));
    }

    /**
     * Returns the other model that is most similar to {@code model}, with the share of common operators; the first of
     * equal ones.
     */
    private static String mostAlike(String model, Subject subject) {
        return subject.alike().stream()
                .filter(pair -> pair.models().contains(model))
                .max(Comparator.comparingDouble(Alike::ratio)
                        .thenComparing(pair -> pair.other(model), Comparator.reverseOrder()))
                .map(pair -> pair.other(model) + " " + Math.round(PERCENT * pair.ratio()) + " %")
                .orElse("");
    }

    private static List<Cell> row(Shared shared) {
        return List.of(Cell.of(shared.name()), Cell.of(shared.models()), Cell.of(shared.count()));
    }
}
