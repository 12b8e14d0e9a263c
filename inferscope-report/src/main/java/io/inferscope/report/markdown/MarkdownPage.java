package io.inferscope.report.markdown;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.tables.Table;
import java.io.IOException;
import java.util.List;

/**
 * A Markdown page of limited length: the first blocks are kept whole, tables at the end are cut, and the page states
 * the cut.
 */
public final class MarkdownPage {
    /** GitHub's limit for a comment is 65,536 characters; a tool that posts the page adds some. */
    public static final int LIMIT = 60_000;
    /** Rows of a table, at most. */
    private static final int ROWS = 25;
    /** Room for the line that announces a cut. */
    private static final int RESERVE = 200;

    private final StringBuilder text = new StringBuilder();
    private int leftOut;

    /** Adds a block if there is room for it; otherwise counts it. A block must be readable by itself. */
    MarkdownPage add(String markdown) {
        if (text.length() + markdown.length() <= LIMIT - RESERVE) {
            text.append(markdown);
        } else {
            leftOut++;
        }
        return this;
    }

    /** Adds a line and a blank one. */
    public MarkdownPage paragraph(String markdown) {
        return add(markdown + "\n\n");
    }

    /** Adds at most {@code limit} list items, and the number of further ones. */
    public MarkdownPage items(List<String> items, int limit) {
        if (items.isEmpty()) {
            return this;
        }
        items.stream().limit(limit).forEach(item -> add("- " + item + "\n"));
        if (items.size() > limit) {
            add("- and " + Units.count(items.size() - limit) + " more, in the JSON report\n");
        }
        return add("\n");
    }

    /** Adds at most {@code limit} sentences as a list, likewise. */
    public MarkdownPage sentences(List<String> sentences, int limit) {
        return items(sentences.stream().map(MarkdownText::prose).toList(), limit);
    }

    /** Adds the usual number of rows of a table, as far as there is room. */
    public MarkdownPage table(Table table) {
        return table(table, ROWS);
    }

    /** Adds at most {@code limit} rows of a table, as far as there is room. */
    public MarkdownPage table(Table table, int limit) {
        return table(table, limit, false);
    }

    /** Adds the usual number of rows of a collapsed table, as far as there is room. */
    MarkdownPage folded(Table table) {
        return table(table, ROWS, true);
    }

    private MarkdownPage table(Table table, int limit, boolean folded) {
        if (table.rows().isEmpty()) {
            return this;
        }
        int rows = Math.min(limit, table.rows().size());
        while (rows > 0
                && text.length() + MarkdownTables.section(table, rows, folded).length() > LIMIT - RESERVE) {
            rows /= 2;
        }
        if (rows > 0) {
            return add(MarkdownTables.section(table, rows, folded));
        }
        leftOut++;
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    public void writeTo(Appendable out) throws IOException {
        if (leftOut > 0) {
            text.append("**Cut:** ")
                    .append(leftOut == 1 ? "1 piece is" : Units.count(leftOut) + " pieces are")
                    .append(" left out to keep this page below ")
                    .append(Units.count(LIMIT))
                    .append(" characters; the JSON report has all.\n");
        }
        out.append(text.toString().stripTrailing()).append('\n');
    }
}
