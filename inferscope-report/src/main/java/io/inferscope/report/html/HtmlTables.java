package io.inferscope.report.html;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.markdown.MarkdownTables;
import io.inferscope.report.tables.Table;
import java.util.List;

/** Tables as HTML, each in a region that scrolls sideways on a narrow screen. */
public record HtmlTables(Html html) {
    /** More rows than anyone reads; a browser still shows them at once. */
    private static final int ROWS = 200;

    /** Rows on paper; the style sheet hides the others there. */
    private static final int PRINTED = 6;

    /** Writes a table that opens on demand. */
    public void folded(Table table) {
        html.open("details").open("summary").open("h3").text(table.title()).close();
        html.text(" ")
                .element(
                        "span",
                        Units.count(table.rows().size()) + (table.rows().size() == 1 ? " row" : " rows"),
                        "class",
                        "aside");
        html.closeLine();
        if (!table.intro().isEmpty()) {
            html.open("p").prose(table.intro()).closeLine();
        }
        plain(table.first(ROWS));
        if (table.rows().size() > PRINTED) {
            html.element("p", "Printed: the first " + PRINTED + " rows.", "class", "printed aside");
        }
        if (table.rows().size() > ROWS) {
            html.element("p", MarkdownTables.leftOut(table.rows().size() - ROWS))
                    .line();
        }
        html.closeLine();
    }

    /** Writes an open table under its heading. */
    public void open(Table table) {
        html.element("h3", table.title()).line();
        if (!table.intro().isEmpty()) {
            html.open("p").prose(table.intro()).closeLine();
        }
        plain(table.first(ROWS));
    }

    void plain(Table table) {
        head(table.title(), table.columns());
        html.close().close().open("tbody").line();
        table.rows().forEach(row -> row(table, row));
        html.close().close().closeLine();
    }

    /** Opens a table whose rows end with a bar, up to its first row. */
    void openWithBars(String label, List<Table.Column> columns) {
        head(label, columns, "class", "ledger");
        html.open("td", "class", "share").close().close().close().open("tbody").line();
    }

    private void head(String label, List<Table.Column> columns, String... attributes) {
        html.open("div", "class", "scroll", "role", "region", "tabindex", "0", "aria-label", label);
        html.open("table", attributes).open("thead").open("tr");
        for (Table.Column column : columns) {
            html.element("th", column.name(), "scope", "col", "class", style(column));
        }
    }

    private void row(Table table, List<String> row) {
        html.open("tr");
        for (int i = 0; i < row.size(); i++) {
            Table.Column column = table.columns().get(i);
            if (i == 0) {
                html.open("th", "scope", "row", "class", style(column));
            } else {
                html.open("td", "class", style(column));
            }
            cell(column, row.get(i));
            html.close();
        }
        html.closeLine();
    }

    private void cell(Table.Column column, String text) {
        if (text.isBlank()) {
            html.text(Units.ABSENT);
        } else if (column.kind() == Table.Kind.NAME) {
            html.name(text);
        } else {
            html.prose(text);
        }
    }

    private static String style(Table.Column column) {
        return column.kind() == Table.Kind.NUMBER ? "number" : column.kind() == Table.Kind.NAME ? "name" : "words";
    }
}
