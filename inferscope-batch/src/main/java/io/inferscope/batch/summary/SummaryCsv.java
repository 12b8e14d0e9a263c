package io.inferscope.batch.summary;

import de.siegmar.fastcsv.writer.CsvWriter;
import io.inferscope.batch.summary.SummaryRow.Member;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Pattern;

/** The pairs of the overview as a table for programs. */
final class SummaryCsv {
    private static final String FORMULA = "=+@-";
    private static final Pattern NUMBER = Pattern.compile("-?[0-9.E-]+");

    private SummaryCsv() {}

    /** Returns the table as CSV (RFC 4180): a header, then one line per pair. */
    static String of(List<SummaryRow> rows) {
        StringWriter out = new StringWriter();
        CsvWriter csv = CsvWriter.builder().bufferSize(0).build(out);
        csv.writeRecord(SummaryRow.MEMBERS.stream().map(Member::name).toList());
        for (SummaryRow row : rows) {
            csv.writeRecord(SummaryRow.MEMBERS.stream()
                    .map(member -> cell(String.valueOf(member.of().apply(row))))
                    .toList());
        }
        return out.toString();
    }

    /** Returns the text of a cell. A text that a spreadsheet would read as a formula gets a quote in front. */
    private static String cell(String text) {
        boolean formula = !text.isEmpty()
                && FORMULA.indexOf(text.charAt(0)) >= 0
                && !NUMBER.matcher(text).matches();
        return formula ? "'" + text : text;
    }
}
