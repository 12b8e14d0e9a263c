package io.inferscope.report.html;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.report.common.Headline;
import io.inferscope.report.common.Renderer;
import io.inferscope.report.scene.Scene;
import io.inferscope.report.tables.RecordingTables;
import io.inferscope.report.tables.ReportTables;
import io.inferscope.report.tables.Table;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report as one HTML page, complete without scripts. If the analysis is available, the page also draws the
 * recording.
 */
public final class HtmlRenderer implements Renderer {
    private final @Nullable Analysis analysis;
    private final boolean scripts;
    private final Scene.Limits limits;
    private final String ranges;

    /** Makes a renderer of the report on an analysis, or on none, with a timeline if there is one and scripts are wanted. */
    public HtmlRenderer(@Nullable Analysis analysis, boolean scripts) {
        this(analysis, scripts, Scene.Limits.USUAL);
    }

    /** Makes a renderer whose timeline is limited to {@code limits}. */
    public HtmlRenderer(@Nullable Analysis analysis, boolean scripts, Scene.Limits limits) {
        this(analysis, scripts, limits, "");
    }

    /** Makes a renderer of a page that requests the events missing in its timeline from the address {@code ranges}. */
    HtmlRenderer(@Nullable Analysis analysis, boolean scripts, Scene.Limits limits, String ranges) {
        this.ranges = ranges;
        this.analysis = analysis;
        this.scripts = scripts;
        this.limits = limits;
    }

    @Override
    public String format() {
        return "html";
    }

    @Override
    public void render(Report report, Appendable out) throws IOException {
        HtmlTimeline timeline =
                analysis == null || !scripts ? HtmlTimeline.NONE : HtmlTimeline.of("", "", analysis, report, limits);
        String title = report.title().isBlank() ? "report" : report.title();
        boolean asks = !ranges.isEmpty() && !timeline.script().isEmpty();
        String script = timeline.script() + (asks ? HtmlPage.source("ranges.js") : "");
        HtmlPage.write(title, "findings", script, asks, out, html -> {
            contents(html, report, timeline);
            new HtmlHead(html, new Headline(report)).write();
            new HtmlFindings(html, timeline).write(report);
            timeline.write(html, asks);
            timeline.writeStacks(html);
            if (analysis != null) {
                new HtmlPlots(html, analysis, timeline).write();
            }
            recording(html, report);
            tables(html, report);
            timeline.writeData(html, ranges);
        });
    }

    /** Writes links to the sections; links to sections that a script draws are hidden until it has drawn them. */
    private static void contents(Html html, Report report, HtmlTimeline timeline) {
        html.open("nav", "class", "contents", "aria-label", "Contents").open("ul");
        content(html, "verdict", "Verdict");
        content(html, "latency", "Latency");
        if (!report.ledgers().isEmpty()) {
            content(html, "ledger", "Ledger");
        }
        content(html, "findings", "Findings");
        if (!timeline.script().isEmpty()) {
            content(html, "timeline", "Timeline", "hidden", "hidden");
            content(html, "stacks", "Call stacks", "hidden", "hidden");
        }
        content(html, "trust", "Trust and coverage");
        content(html, "tables", "Tables");
        html.close().closeLine();
    }

    private static void content(Html html, String id, String words, String... attributes) {
        html.open("li", attributes).element("a", words, "href", "#" + id).close();
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
                                        ? "; those that failed are at the head."
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
