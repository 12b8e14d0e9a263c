package io.inferscope.collectors.trace;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The pairs of the overview as a table for programs. */
final class SummaryCsv {
    private static final List<String> HEADER = List.of(
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

    private static final String FORMULA = "=+@-";
    private static final Pattern NUMBER = Pattern.compile("-?[0-9.E-]+");
    private static final Pattern QUOTED = Pattern.compile("[,\"\\r\\n]");

    private SummaryCsv() {}

    /** Returns the table: RFC 4180, one line a pair below the header. */
    static String of(List<SummaryRow> rows) {
        StringBuilder out = new StringBuilder(line(HEADER));
        for (SummaryRow row : rows) {
            out.append(line(List.of(
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

    private static String line(List<String> cells) {
        return cells.stream().map(SummaryCsv::cell).collect(Collectors.joining(",", "", "\r\n"));
    }

    /** A text that a spreadsheet would take for a formula gets a quote before it. */
    private static String cell(String text) {
        boolean formula = !text.isEmpty()
                && FORMULA.indexOf(text.charAt(0)) >= 0
                && !NUMBER.matcher(text).matches();
        String cell = formula ? "'" + text : text;
        return QUOTED.matcher(cell).find() ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }
}
