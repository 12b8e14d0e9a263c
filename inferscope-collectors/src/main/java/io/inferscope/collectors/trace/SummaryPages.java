package io.inferscope.collectors.trace;

import io.inferscope.collectors.trace.SummaryTables.Cell;
import io.inferscope.collectors.trace.SummaryTables.Table;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The overview for people, in Markdown and HTML. */
final class SummaryPages {
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final Pattern MARKUP = Pattern.compile("[\\\\`*_{}\\[\\]<>()#|~&!]");

    private final List<Table> tables;

    SummaryPages(List<Table> tables) {
        this.tables = tables;
    }

    String markdown() {
        StringBuilder out = new StringBuilder("# Traced models\n");
        for (Table table : tables) {
            out.append("\n## ").append(table.title()).append("\n\n");
            if (!table.intro().isEmpty()) {
                out.append(table.intro()).append("\n\n");
            }
            out.append(line(table.header().stream().map(SummaryPages::quoted).toList()));
            out.append(table.header().stream().map(h -> "---").collect(Collectors.joining(" | ", "| ", " |\n")));
            table.rows()
                    .forEach(row -> out.append(
                            line(row.stream().map(SummaryPages::markdown).toList())));
        }
        return out.toString();
    }

    private static String line(List<String> cells) {
        return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private static String markdown(Cell cell) {
        String text = quoted(cell.text());
        return cell.link().isEmpty() ? text : "[" + text + "](" + cell.link() + ")";
    }

    /** Text of a trace is data: nothing in it is markup. */
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
                body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
                .wide { overflow-x: auto; }
                table { border-collapse: collapse; } td, th { text-align: left; vertical-align: top; padding: 0.25em 1em 0.25em 0;
                border-bottom: 1px solid #8885; overflow-wrap: anywhere; min-width: 4em; }
                </style></head><body><h1>Traced models</h1>
                """);
        for (Table table : tables) {
            out.append("<h2>")
                    .append(escaped(table.title()))
                    .append("</h2>\n<p>")
                    .append(escaped(table.intro()));
            out.append("</p>\n<div class=\"wide\"><table><thead><tr>");
            table.header()
                    .forEach(cell -> out.append("<th>").append(escaped(cell)).append("</th>"));
            out.append("</tr></thead><tbody>\n");
            for (List<Cell> row : table.rows()) {
                out.append("<tr>");
                row.forEach(cell -> out.append("<td>").append(html(cell)).append("</td>"));
                out.append("</tr>\n");
            }
            out.append("</tbody></table></div>\n");
        }
        return out.append("</body></html>\n").toString();
    }

    private static String html(Cell cell) {
        String text = escaped(cell.text());
        return cell.link().isEmpty() ? text : "<a href=\"" + escaped(cell.link()) + "\">" + text + "</a>";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
