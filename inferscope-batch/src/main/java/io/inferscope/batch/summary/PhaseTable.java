package io.inferscope.batch.summary;

import static io.inferscope.batch.summary.SummaryTable.number;
import static io.inferscope.batch.summary.SummaryTable.word;

import io.inferscope.batch.summary.SummaryTable.Cell;
import io.inferscope.batch.summary.SummaryTable.Column;
import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The overview's table of the work of engines in prefill and in decode, from the file that {@code phases.py} wrote. */
final class PhaseTable {
    /** The file in a tracer's folder. */
    private static final String FILE = "vllm_phases.json";

    private static final List<String> KINDS = List.of("attention", "kv_cache", "other");
    /** Shown if neither the engine nor its answers tell the phases apart. */
    private static final String NOT_KNOWN = "not known";

    private static final List<Cell> NOTHING = Collections.nCopies(2 + KINDS.size(), Cell.of(""));
    private static final double US_PER_MS = 1e3;
    private static final double PERCENT = 100.0;

    private PhaseTable() {}

    /** Returns one row per phase of each process of an engine; a file that cannot be read gives no rows. */
    static SummaryTable of(Path output, List<SummaryRow> rows) {
        List<List<Cell>> lines = new ArrayList<>();
        for (SummaryRow row : rows) {
            Path file = output.resolve(row.folder()).resolve(FILE);
            if (row.isFine() && Files.isRegularFile(file)) {
                add(row, file, lines);
            }
        }
        List<Column> columns = List.of(
                word("pair"),
                word("trace"),
                word("phase"),
                number("steps"),
                number("per step"),
                number("attention"),
                number("KV cache"),
                number("other"));
        return new SummaryTable(
                "Prefill and decode",
                "Shares of kernel time; where no kernel is recorded, of the time of operators. Attention and KV cache are recognised by name.",
                columns,
                lines);
    }

    private static void add(SummaryRow row, Path file, List<List<Cell>> lines) {
        Map<String, @Nullable Object> document;
        try {
            document = JsonValues.read(file);
        } catch (IOException damaged) {
            return;
        }
        for (Map<String, @Nullable Object> rank : JsonValues.objects(document, "ranks")) {
            Map<String, @Nullable Object> phases = JsonValues.object(rank, "phases");
            for (String phase : phases.isEmpty() ? Set.of(NOT_KNOWN) : phases.keySet()) {
                List<Cell> line = new ArrayList<>(List.of(
                        Cell.of(row.folder(), row.report().isEmpty() ? row.folder() + "/" : row.report()),
                        Cell.of(JsonValues.text(rank, "trace")),
                        Cell.of(phase)));
                line.addAll(phases.isEmpty() ? NOTHING : figures(JsonValues.object(phases, phase)));
                lines.add(line);
            }
        }
    }

    private static List<Cell> figures(Map<String, @Nullable Object> phase) {
        double steps = JsonValues.number(phase, "steps");
        double stepUs = steps > 0 ? JsonValues.number(phase, "wall_us") / steps : 0;
        List<Cell> figures = new ArrayList<>(
                List.of(Cell.of((long) steps), Cell.of(String.format(Locale.ROOT, "%.2f ms", stepUs / US_PER_MS))));
        String time = sum(phase, "kernel_count") > 0 ? "kernel_time_us" : "operator_time_us";
        double allUs = sum(phase, time);
        for (String kind : KINDS) {
            double us = JsonValues.number(JsonValues.object(phase, kind), time);
            figures.add(Cell.of(allUs > 0 ? String.format(Locale.ROOT, "%.1f %%", PERCENT * us / allUs) : ""));
        }
        return figures;
    }

    private static double sum(Map<String, @Nullable Object> phase, String figure) {
        return KINDS.stream()
                .mapToDouble(kind -> JsonValues.number(JsonValues.object(phase, kind), figure))
                .sum();
    }
}
