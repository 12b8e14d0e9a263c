package io.inferscope.collectors.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The overview for people, in Markdown and HTML, and as a table in CSV. */
final class SummaryPages {
    private static final List<String> CSV_HEADER = List.of(
            "model",
            "model_id",
            "mode",
            "tracer",
            "outcome",
            "action",
            "reason",
            "total_s",
            "trace_s",
            "peak_memory_bytes",
            "folder");
    private static final int MOST_SHARED = 20;

    private final List<Section> sections = new ArrayList<>();

    /** A table with its title; {@code intro} stands above it. */
    private record Section(String title, String intro, List<String> header, List<List<String>> rows) {}

    SummaryPages(List<SummaryRow> rows, Comparison comparison) {
        sections.add(new Section(
                "Outcomes",
                rows.size() + " pairs of model and tracer.",
                List.of("outcome", "pairs"),
                BatchSummary.outcomes(rows).entrySet().stream()
                        .map(e -> List.of(e.getKey(), e.getValue().toString()))
                        .toList()));
        List<List<String>> failures = rows.stream()
                .filter(row -> !row.isFine())
                .sorted(java.util.Comparator.comparing(SummaryRow::outcome))
                .map(row -> List.of(row.outcome(), row.folder(), row.reason()))
                .toList();
        if (!failures.isEmpty()) {
            String intro = "What the tracer said is in stdout.txt and stderr.txt of its folder.";
            sections.add(new Section("Failures", intro, List.of("class", "pair", "reason"), failures));
        }
        sections.add(
                new Section("Pairs", "", List.of("pair", "outcome", "total", "tracer", "peak memory"), pairs(rows)));
        comparison.shared().forEach((subject, kinds) -> addShared(comparison, subject, kinds));
    }

    private static List<List<String>> pairs(List<SummaryRow> rows) {
        return rows.stream()
                .map(row -> List.of(
                        row.folder(),
                        row.outcome(),
                        BatchSummary.seconds(row.totalS()),
                        BatchSummary.seconds(row.traceS()),
                        (row.peakBytes() >> 20) + " MiB"))
                .toList();
    }

    private void addShared(Comparison comparison, String subject, Map<String, List<Comparison.Shared>> kinds) {
        kinds.forEach((kind, shared) -> {
            if (!shared.isEmpty()) {
                sections.add(new Section(
                        "In common: " + kind + " (" + subject + ")",
                        "Of " + comparison.models(subject) + " models.",
                        List.of("name", "models", "occurrences"),
                        shared.stream()
                                .limit(MOST_SHARED)
                                .map(s -> List.of(s.name(), Integer.toString(s.models()), Long.toString(s.count())))
                                .toList()));
            }
        });
    }

    String markdown() {
        StringBuilder out = new StringBuilder("# Traced models\n");
        for (Section section : sections) {
            out.append("\n## ").append(section.title()).append("\n\n");
            if (!section.intro().isEmpty()) {
                out.append(section.intro()).append("\n\n");
            }
            out.append(line(section.header()));
            out.append(section.header().stream().map(h -> "---").collect(Collectors.joining(" | ", "| ", " |\n")));
            section.rows().forEach(row -> out.append(line(row)));
        }
        return out.toString();
    }

    private static String line(List<String> cells) {
        return cells.stream().map(SummaryPages::cell).collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    /** Text of a trace is data: nothing in it is markup. */
    private static String cell(String text) {
        return text.replaceAll("\\s+", " ").replaceAll("[\\\\`*_{}\\[\\]<>()#|~&!]", "\\\\$0");
    }

    String html() {
        StringBuilder out = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>Traced models</title>
                <style>
                body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; }
                table { border-collapse: collapse; } td, th { text-align: left; vertical-align: top; padding: 0.25em 1em 0.25em 0;
                border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
                </style></head><body><h1>Traced models</h1>
                """);
        for (Section section : sections) {
            out.append("<h2>")
                    .append(escaped(section.title()))
                    .append("</h2>\n<p>")
                    .append(escaped(section.intro()));
            out.append("</p>\n<table><thead><tr>");
            section.header()
                    .forEach(cell -> out.append("<th>").append(escaped(cell)).append("</th>"));
            out.append("</tr></thead><tbody>\n");
            for (List<String> row : section.rows()) {
                out.append("<tr>");
                row.forEach(cell -> out.append("<td>").append(escaped(cell)).append("</td>"));
                out.append("</tr>\n");
            }
            out.append("</tbody></table>\n");
        }
        return out.append("</body></html>\n").toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    static String csv(List<SummaryRow> rows) {
        StringBuilder out = new StringBuilder(csvLine(CSV_HEADER));
        for (SummaryRow row : rows) {
            out.append(csvLine(List.of(
                    row.model(),
                    row.modelId(),
                    row.mode(),
                    row.tracer(),
                    row.outcome(),
                    row.action(),
                    row.reason(),
                    Double.toString(row.totalS()),
                    Double.toString(row.traceS()),
                    Long.toString(row.peakBytes()),
                    row.folder())));
        }
        return out.toString();
    }

    /** RFC 4180; a text that a spreadsheet would take for a formula gets a quote before it. */
    private static String csvLine(List<String> cells) {
        return cells.stream()
                .map(cell -> cell.matches("(?s)[=+@-].*") && !cell.matches("-?[0-9.E-]+") ? "'" + cell : cell)
                .map(cell -> cell.matches("(?s).*[,\"\\r\\n].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell)
                .collect(Collectors.joining(",", "", "\r\n"));
    }
}
