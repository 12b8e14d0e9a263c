package io.inferscope.report.shapes;

import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.console.ConsolePage;
import io.inferscope.report.console.ConsolePage.Tone;
import io.inferscope.report.console.ConsoleTables;
import io.inferscope.report.html.HtmlPage;
import io.inferscope.report.html.HtmlPlots;
import io.inferscope.report.html.HtmlTables;
import io.inferscope.report.markdown.MarkdownPage;
import io.inferscope.report.markdown.MarkdownText;
import io.inferscope.report.plots.Plot;
import io.inferscope.report.tables.Table;
import java.io.IOException;
import java.util.List;

/**
 * A report that consists of a conclusion, cautions, pictures and tables.
 *
 * @param title its heading
 * @param conclusion sentences, the first of them the claim
 * @param cautions sentences
 * @param plots pictures, which only HTML pages contain
 * @param tables most important first; empty ones are left out
 */
public record TablesPage(
        String title, List<String> conclusion, List<String> cautions, List<Plot> plots, List<Table> tables) {
    private static final int SENTENCES = 20;
    /** Most rows of a table in Markdown. */
    private static final int MARKDOWN_ROWS = 200;

    public TablesPage {
        conclusion = List.copyOf(conclusion);
        cautions = List.copyOf(cautions);
        plots = List.copyOf(plots);
        tables = tables.stream().filter(table -> !table.rows().isEmpty()).toList();
    }

    /** Writes the page in a format for people. */
    public void render(String format, ConsoleOptions options, Appendable out) throws IOException {
        switch (format) {
            case "console", "github" -> console(options, out); // Such a report has no lines of code to annotate.
            case "markdown" -> markdown(out);
            case "html" -> html(out);
            default -> throw new IllegalArgumentException("no format \"" + format + "\"");
        }
    }

    private void console(ConsoleOptions options, Appendable out) throws IOException {
        ConsolePage page = new ConsolePage(options);
        page.line(Tone.STRONG, "InferScope: " + title).blank();
        page.line(Tone.STRONG, conclusion.get(0));
        conclusion.stream().skip(1).forEach(sentence -> page.item("- ", sentence));
        cautions.forEach(caution -> page.wrapped(Tone.WARN, "! ", "  ", caution));
        ConsoleTables console = new ConsoleTables(page);
        tables.forEach(console::write);
        page.writeTo(out);
    }

    private void markdown(Appendable out) throws IOException {
        MarkdownPage page = new MarkdownPage();
        page.paragraph("# InferScope: " + MarkdownText.prose(title));
        page.paragraph("**" + MarkdownText.prose(conclusion.get(0)) + "**");
        page.sentences(conclusion.subList(1, conclusion.size()), SENTENCES);
        if (!cautions.isEmpty()) {
            page.paragraph("**Read with care:**");
            page.sentences(cautions, SENTENCES);
        }
        tables.forEach(table -> page.table(table, MARKDOWN_ROWS));
        page.writeTo(out);
    }

    private void html(Appendable out) throws IOException {
        HtmlPage.write(title, "conclusion", "", out, html -> {
            html.open("section", "class", "verdict", "aria-labelledby", "conclusion");
            html.element("h2", "Conclusion", "id", "conclusion").line();
            html.open("p", "class", "claim").prose(conclusion.get(0)).closeLine();
            HtmlPage.list(html, conclusion.subList(1, conclusion.size()));
            html.closeLine();
            if (!cautions.isEmpty()) {
                html.open("section", "class", "card warning", "aria-labelledby", "care");
                html.element("h2", "Read with care", "id", "care");
                HtmlPage.list(html, cautions);
                html.closeLine();
            }
            plots.forEach(plot -> HtmlPlots.picture(html, plot));
            HtmlTables all = new HtmlTables(html);
            for (int i = 0; i < tables.size(); i++) {
                if (i == 0) {
                    all.open(tables.get(i));
                } else {
                    all.folded(tables.get(i));
                }
            }
        });
    }
}
