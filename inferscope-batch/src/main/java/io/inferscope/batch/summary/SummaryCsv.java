package io.inferscope.batch.summary;

import io.inferscope.batch.summary.SummaryRow.Member;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The pairs of the overview as a table for programs. */
final class SummaryCsv {
    private static final String FORMULA = "=+@-";
    private static final Pattern NUMBER = Pattern.compile("-?[0-9.E-]+");
    private static final Pattern QUOTED = Pattern.compile("[,\"\\r\\n]");

    private SummaryCsv() {}

    /** Returns the table: RFC 4180, one line a pair below the header. */
    static String of(List<SummaryRow> rows) {
        StringBuilder out = new StringBuilder(line(SummaryRow.MEMBERS.stream().map(Member::name)));
        for (SummaryRow row : rows) {
            out.append(line(SummaryRow.MEMBERS.stream()
                    .map(member -> String.valueOf(member.of().apply(row)))));
        }
        return out.toString();
    }

    private static String line(Stream<String> cells) {
        return cells.map(SummaryCsv::cell).collect(Collectors.joining(",", "", "\r\n"));
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
