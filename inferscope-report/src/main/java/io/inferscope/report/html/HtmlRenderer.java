package io.inferscope.report.html;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.report.common.Headline;
import io.inferscope.report.common.Renderer;
import io.inferscope.report.tables.RecordingTables;
import io.inferscope.report.tables.ReportTables;
import io.inferscope.report.tables.Table;
import java.io.IOException;
import java.util.List;

/** The report as one HTML page. */
public final class HtmlRenderer implements Renderer {
    @Override
    public String format() {
        return "html";
    }

    @Override
    public void render(Report report, Appendable out) throws IOException {
        HtmlPage.write(report.title().isBlank() ? "report" : report.title(), "findings", out, html -> {
            new HtmlHead(html, new Headline(report)).write();
            new HtmlFindings(html).write(report);
            recording(html, report);
            tables(html, report);
        });
    }

    private static void recording(Html html, Report report) {
        html.open("section", "aria-labelledby", "trust")
                .element("h2", "Trust and coverage", "id", "trust")
                .line();
        List<TrustCheck> passed =
                report.trust().stream().filter(TrustCheck::passed).toList();
        html.element(
                        "p",
                        passed.size() + " of " + report.trust().size() + " trust checks passed"
                                + (passed.size() < report.trust().size()
                                        ? "; those that failed stand at the head."
                                        : "."))
                .line();
        HtmlTables tables = new HtmlTables(html);
        for (Table table : List.of(
                RecordingTables.passed(report), RecordingTables.sources(report), RecordingTables.coverage(report))) {
            if (!table.rows().isEmpty()) {
                tables.folded(table);
            }
        }
        html.closeLine();
    }

    private static void tables(Html html, Report report) {
        html.open("section", "aria-labelledby", "tables")
                .element("h2", "Tables", "id", "tables")
                .line();
        HtmlTables tables = new HtmlTables(html);
        ReportTables.afterHeadline(report).forEach(tables::folded);
        html.closeLine();
    }
}
