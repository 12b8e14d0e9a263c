package io.inferscope.batch.summary;

import static io.inferscope.batch.summary.SummaryTable.number;
import static io.inferscope.batch.summary.SummaryTable.text;
import static io.inferscope.batch.summary.SummaryTable.word;

import io.inferscope.batch.summary.SummaryTable.Cell;
import io.inferscope.batch.summary.SummaryTable.Column;
import io.inferscope.batch.summary.SummaryTable.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The tables of the overview about pairs, in their order: first those that require an action of the user. */
final class SummaryTables {
    private static final int MOST_NAMED = 10;

    private SummaryTables() {}

    static SummaryTable outcomes(List<SummaryRow> rows) {
        return new SummaryTable(
                "Outcomes",
                rows.size() + " pairs of model and tracer.",
                List.of(word("outcome"), number("pairs")),
                BatchSummary.outcomes(rows).entrySet().stream()
                        .map(e -> List.of(Cell.of(e.getKey()), Cell.of(e.getValue())))
                        .toList());
    }

    /** Returns the failures, one row for each class and reason; no rows if nothing failed. */
    static SummaryTable failures(List<SummaryRow> rows) {
        Map<String, List<SummaryRow>> alike = new TreeMap<>();
        rows.stream()
                .filter(row -> !row.isFine())
                .forEach(row -> alike.computeIfAbsent(row.outcome() + "\n" + row.reason(), key -> new ArrayList<>())
                        .add(row));
        return new SummaryTable(
                "Failures",
                "What the tracer said is in stdout.txt and stderr.txt of its folder.",
                List.of(word("class"), number("pairs"), text("reason"), text("where")),
                alike.values().stream().map(SummaryTables::failure).toList());
    }

    private static List<Cell> failure(List<SummaryRow> alike) {
        SummaryRow any = alike.get(0);
        List<Part> where =
                alike.stream().map(row -> new Part(row.folder(), folder(row))).toList();
        return List.of(
                Cell.of(any.outcome()).bad(true),
                Cell.of(alike.size()),
                Cell.of(any.reason()),
                Cell.first(MOST_NAMED, where));
    }

    private static String folder(SummaryRow row) {
        return row.hasFolder() ? row.folder() + "/" : "";
    }

    /** Returns one row per model and mode with the outcome of each tracer; tracers with the most pairs come first. */
    static SummaryTable models(List<SummaryRow> rows) {
        Map<String, Long> pairs =
                rows.stream().collect(Collectors.groupingBy(SummaryRow::tracer, TreeMap::new, Collectors.counting()));
        List<String> tracers = pairs.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .toList();
        Map<String, Map<String, SummaryRow>> models = new TreeMap<>();
        rows.forEach(row -> models.computeIfAbsent(row.model() + " " + row.mode(), key -> new TreeMap<>())
                .put(row.tracer(), row));
        List<Column> columns = new ArrayList<>(List.of(word("model and mode")));
        tracers.forEach(tracer -> columns.add(word(tracer)));
        List<List<Cell>> lines = new ArrayList<>();
        models.forEach((model, byTracer) -> {
            List<Cell> line = new ArrayList<>(List.of(Cell.of(model)));
            tracers.forEach(tracer -> line.add(Optional.ofNullable(byTracer.get(tracer))
                    .map(SummaryTables::brief)
                    .orElse(Cell.of(""))));
            lines.add(line);
        });
        return new SummaryTable(
                "Models", "Outcome and time of each; links lead to the profile, else to the folder.", columns, lines);
    }

    private static Cell brief(SummaryRow row) {
        String time = row.totalS() > 0 ? " " + BatchSummary.seconds(row.totalS()) : "";
        return Cell.of(row.outcome() + time, row.report().isEmpty() ? folder(row) : row.report())
                .bad(!row.isFine());
    }

    static SummaryTable pairs(List<SummaryRow> rows) {
        return new SummaryTable(
                "Pairs",
                "total: from the start of the pair to its status; tracer: of that, loading the model and tracing it.",
                List.of(
                        word("pair"),
                        word("outcome"),
                        word("profile"),
                        number("total"),
                        number("tracer"),
                        number("peak memory")),
                rows.stream().map(SummaryTables::pair).toList());
    }

    private static List<Cell> pair(SummaryRow row) {
        return List.of(
                Cell.of(row.folder(), folder(row)),
                Cell.of(row.outcome()).bad(!row.isFine()),
                Cell.of(row.report().isEmpty() ? "" : "report", row.report()),
                Cell.of(BatchSummary.seconds(row.totalS())),
                Cell.of(BatchSummary.seconds(row.traceS())),
                Cell.of((row.peakBytes() >> 20) + " MiB"));
    }
}
