package io.inferscope.report.markdown;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.tables.Table;
import java.util.List;

/** Tables as GitHub-flavoured Markdown. */
public final class MarkdownTables {
    private MarkdownTables() {}

    /**
     * Returns the heading of a table, its intro, its first {@code rows} rows and the number of rows left out.
     *
     * @param folded whether it is collapsed
     */
    static String section(Table table, int rows, boolean folded) {
        StringBuilder out = new StringBuilder();
        out.append(
                folded
                        ? "<details><summary>" + MarkdownText.html(table.title()) + "</summary>"
                        : "### " + MarkdownText.prose(table.title()));
        out.append("\n\n");
        if (!table.intro().isEmpty()) {
            out.append(MarkdownText.prose(table.intro())).append("\n\n");
        }
        out.append(table(table.first(rows)));
        int leftOut = table.rows().size() - Math.min(rows, table.rows().size());
        if (leftOut > 0) {
            out.append("\n").append(leftOut(leftOut)).append("\n");
        }
        return out.append(folded ? "\n</details>\n\n" : "\n").toString();
    }

    public static String leftOut(int rows) {
        return Units.count(rows) + (rows == 1 ? " more row is" : " more rows are")
                + " left out here; the JSON report has them.";
    }

    static String table(Table table) {
        StringBuilder out = new StringBuilder("|");
        table.columns().forEach(column -> out.append(' ').append(column.name()).append(" |"));
        out.append("\n|");
        table.columns().forEach(column -> out.append(column.kind() == Table.Kind.NUMBER ? " ---: |" : " --- |"));
        out.append('\n');
        for (List<String> row : table.rows()) {
            out.append('|');
            for (int i = 0; i < row.size(); i++) {
                out.append(' ')
                        .append(MarkdownText.cell(table.columns().get(i).kind(), row.get(i)))
                        .append(" |");
            }
            out.append('\n');
        }
        return out.toString();
    }
}
