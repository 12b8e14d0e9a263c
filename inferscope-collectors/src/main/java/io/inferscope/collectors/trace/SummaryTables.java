package io.inferscope.collectors.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The tables of the overview, the one that asks for something to be done first. */
final class SummaryTables {
    private static final int MOST_SHARED = 20;

    private final List<Table> tables = new ArrayList<>();

    /**
     * A text of a table.
     *
     * @param text what it says, as it is: nothing in it is markup
     * @param link the file or folder below the output folder that it leads to, empty for none; made of names that need no escaping
     */
    record Cell(String text, String link) {
        private static Cell of(String text) {
            return new Cell(text, "");
        }
    }

    /** A table with its title; {@code intro} stands above it. */
    record Table(String title, String intro, List<String> header, List<List<Cell>> rows) {}

    private SummaryTables() {}

    /** Returns the tables of pairs and of what their models have in common. */
    static List<Table> of(List<SummaryRow> rows, Comparison comparison) {
        SummaryTables made = new SummaryTables();
        made.tables.add(outcomes(rows));
        made.addFailures(rows);
        made.tables.add(pairs(rows));
        comparison.subjects().forEach(made::addShared);
        return made.tables;
    }

    private static Table outcomes(List<SummaryRow> rows) {
        return new Table(
                "Outcomes",
                rows.size() + " pairs of model and tracer.",
                List.of("outcome", "pairs"),
                BatchSummary.outcomes(rows).entrySet().stream()
                        .map(e -> List.of(
                                Cell.of(e.getKey()), Cell.of(e.getValue().toString())))
                        .toList());
    }

    private void addFailures(List<SummaryRow> rows) {
        List<List<Cell>> failures = rows.stream()
                .filter(row -> !row.isFine())
                .sorted(Comparator.comparing(SummaryRow::outcome))
                .map(row -> List.of(Cell.of(row.outcome()), folder(row), Cell.of(row.reason())))
                .toList();
        if (!failures.isEmpty()) {
            String intro = "What the tracer said is in stdout.txt and stderr.txt of its folder.";
            tables.add(new Table("Failures", intro, List.of("class", "pair", "reason"), failures));
        }
    }

    private static Cell folder(SummaryRow row) {
        return new Cell(row.folder(), row.hasFolder() ? row.folder() + "/" : "");
    }

    private static Table pairs(List<SummaryRow> rows) {
        List<List<Cell>> cells = rows.stream()
                .map(row -> List.of(
                        folder(row),
                        Cell.of(row.outcome()),
                        new Cell(row.report().isEmpty() ? "" : "report", row.report()),
                        Cell.of(BatchSummary.seconds(row.totalS())),
                        Cell.of(BatchSummary.seconds(row.traceS())),
                        Cell.of((row.peakBytes() >> 20) + " MiB")))
                .toList();
        return new Table(
                "Pairs",
                "total: from the start of the pair to its status; tracer: of that, loading the model and tracing it.",
                List.of("pair", "outcome", "profile", "total", "tracer", "peak memory"),
                cells);
    }

    private void addShared(Comparison.Subject subject) {
        subject.shared().forEach((kind, shared) -> {
            if (!shared.isEmpty()) {
                tables.add(new Table(
                        "In common: " + kind + " (" + subject.tracer() + " " + subject.mode() + ")",
                        "Of " + subject.models().size() + " models.",
                        List.of("name", "models", "occurrences"),
                        shared.stream()
                                .limit(MOST_SHARED)
                                .map(SummaryTables::row)
                                .toList()));
            }
        });
    }

    private static List<Cell> row(Comparison.Shared shared) {
        return List.of(
                Cell.of(shared.name()),
                Cell.of(Integer.toString(shared.models())),
                Cell.of(Long.toString(shared.count())));
    }
}
