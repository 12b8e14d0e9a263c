package io.inferscope.batch.summary;

import io.inferscope.batch.summary.SummaryTable.Cell;
import io.inferscope.batch.summary.SummaryTable.Column;
import io.inferscope.batch.summary.SummaryTable.Kind;
import io.inferscope.batch.summary.SummaryTable.Part;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The overview for people, in Markdown and HTML. */
record SummaryPages(List<SummaryTable> tables) {
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final Pattern MARKUP = Pattern.compile("[\\\\`*_{}\\[\\]<>()#|~&!]");

    String markdown() {
        StringBuilder out = new StringBuilder("# Traced models\n");
        for (SummaryTable table : tables) {
            out.append("\n## ").append(quoted(table.title())).append("\n\n");
            if (!table.intro().isEmpty()) {
                out.append(quoted(table.intro())).append("\n\n");
            }
            out.append(line(table.columns(), column -> quoted(column.title())));
            out.append(line(table.columns(), column -> column.kind() == Kind.NUMBER ? "---:" : "---"));
            table.rows().forEach(row -> out.append(line(row, SummaryPages::markdown)));
        }
        return out.toString();
    }

    private static <T> String line(List<T> cells, Function<T, String> text) {
        return cells.stream().map(text).collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private static String markdown(Cell cell) {
        String text = cell.parts().stream().map(SummaryPages::markdown).collect(Collectors.joining(", "));
        return cell.bad() ? "**" + text + "**" : text;
    }

    private static String markdown(Part part) {
        String text = quoted(part.text());
        return part.link().isEmpty() ? text : "[" + text + "](" + part.link() + ")";
    }

    /** Escapes text from a trace, so that nothing in it is read as markup. */
    private static String quoted(String text) {
        return MARKUP.matcher(SPACE.matcher(text).replaceAll(" ")).replaceAll("\\\\$0");
    }

    String html() {
        StringBuilder out = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>Traced models</title>
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <style>
                :root { color-scheme: light dark; }
                body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 100em; padding: 0 1em; }
                h2 { margin: 1.6em 0 0; } p { margin: 0.2em 0 0.6em; }
                .wide { overflow-x: auto; }
                table { border-collapse: collapse; } td, th { text-align: left; vertical-align: top; padding: 0.25em 1.5em 0.25em 0;
                border-bottom: 1px solid #8885; }
                .text { overflow-wrap: anywhere; min-width: 14em; } .word, .number { white-space: nowrap; }
                .number { text-align: right; font-variant-numeric: tabular-nums; }
                .bad, .bad a { color: #c8302c; }
                </style></head><body><h1>Traced models</h1>
                """);
        tables.forEach(table -> add(table, out));
        return out.append("</body></html>\n").toString();
    }

    private static void add(SummaryTable table, StringBuilder out) {
        out.append("<h2>").append(escaped(table.title())).append("</h2>\n<p>");
        out.append(escaped(table.intro())).append("</p>\n<div class=\"wide\"><table><thead><tr>");
        for (Column column : table.columns()) {
            out.append("<th class=\"").append(style(column)).append("\">");
            out.append(escaped(column.title())).append("</th>");
        }
        out.append("</tr></thead><tbody>\n");
        for (List<Cell> row : table.rows()) {
            out.append("<tr>");
            for (int i = 0; i < row.size(); i++) {
                String bad = row.get(i).bad() ? " bad" : "";
                out.append("<td class=\"").append(style(table.columns().get(i))).append(bad);
                out.append("\">").append(html(row.get(i))).append("</td>");
            }
            out.append("</tr>\n");
        }
        out.append("</tbody></table></div>\n");
    }

    private static String style(Column column) {
        return column.kind().name().toLowerCase(Locale.ROOT);
    }

    private static String html(Cell cell) {
        return cell.parts().stream().map(SummaryPages::html).collect(Collectors.joining(", "));
    }

    private static String html(Part part) {
        String text = escaped(part.text());
        return part.link().isEmpty() ? text : "<a href=\"" + escaped(part.link()) + "\">" + text + "</a>";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
