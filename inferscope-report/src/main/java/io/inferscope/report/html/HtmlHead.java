package io.inferscope.report.html;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.FindingText;
import io.inferscope.report.common.Headline;
import io.inferscope.report.common.Part;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.common.Prose;
import io.inferscope.report.tables.ReportTables;
import io.inferscope.report.tables.Table;
import java.util.List;

/** The head of the page: warnings, verdict, breakdown, division of the window, ledger. */
final class HtmlHead {
    private final Html html;
    private final HtmlBars bars;
    private final Headline headline;

    HtmlHead(Html html, Headline headline) {
        this.html = html;
        this.bars = new HtmlBars(html);
        this.headline = headline;
    }

    void write() {
        failures();
        warnings();
        verdict();
        breakdown();
        division();
        headline.ledger().ifPresent(this::ledger);
    }

    private void failures() {
        if (headline.failures().isEmpty()) {
            return;
        }
        html.open("section", "class", "card warning", "aria-labelledby", "failures");
        html.element("h2", "Parts of this report are missing", "id", "failures");
        HtmlPage.list(html, headline.failures());
        html.closeLine();
    }

    private void warnings() {
        if (headline.failedChecks().isEmpty()) {
            return;
        }
        html.open("section", "class", "card warning", "aria-labelledby", "care");
        html.element("h2", "Read with care", "id", "care");
        html.element(
                "p",
                "The recording failed " + headline.failedChecks().size() + " of "
                        + headline.report().trust().size() + " trust checks.");
        html.open("ul");
        headline.failedChecks().forEach(check -> {
            html.open("li").name(check.check());
            if (headline.says(check)) {
                html.text(" failed");
            } else {
                html.text(": ").prose(check.detail());
            }
            if (!check.remedy().isBlank()) {
                html.text(". ").element("strong", "Remedy:").text(" ").prose(check.remedy());
            }
            html.close();
        });
        html.close().closeLine();
    }

    private void verdict() {
        Report report = headline.report();
        html.open("section", "class", "verdict", "aria-labelledby", "verdict");
        html.open("h2", "id", "verdict")
                .text("Verdict: ")
                .element(
                        "span",
                        headline.withheld()
                                ? "withheld"
                                : report.verdict().bound().id(),
                        "class",
                        "bound")
                .close();
        html.open("p", "class", "claim").prose(report.verdict().claim()).closeLine();
        HtmlPage.list(html, headline.because());
        headline.first().ifPresent(this::first);
        html.closeLine();
    }

    /** The same as the console's first lines: a reader who stops here has the answer. */
    private void first(Finding finding) {
        Report report = headline.report();
        FindingText text = new FindingText(report, finding);
        int number = report.findings().indexOf(finding) + 1;
        html.open("dl", "class", "first")
                .element("dt", Headline.label(finding))
                .open("dd")
                .prose(finding.claim());
        html.text(" ").element("a", "finding " + number, "href", "#F" + number).close();
        text.where().ifPresent(where -> entry("Where", Prose.of("").code(where, PlainText.NAME)));
        if (!finding.advice().isBlank()) {
            entry("Change", Prose.of(finding.advice()));
        }
        if (text.claimsOrExplainsGain()) {
            entry("Worth", text.gainWithoutAssumptions());
        }
        html.closeLine();
    }

    private void entry(String name, Prose words) {
        html.element("dt", name).open("dd").prose(words).close();
    }

    private void breakdown() {
        Report report = headline.report();
        html.open("section", "aria-labelledby", "latency");
        html.open("h2", "id", "latency")
                .text(headline.latency() + ": ")
                .element("strong", headline.duration())
                .closeLine();
        List<Part> parts = headline.breakdown();
        bars.stacked("Breakdown", parts);
        html.open("ul", "class", "legend");
        for (Part part : parts) {
            html.open("li");
            bars.swatch(part);
            html.text(part.label() + ": " + Units.duration(part.ns()) + " (" + part.percent() + ")")
                    .close();
        }
        html.closeLine();
        html.open("div", "class", "columns");
        sentences("Diagnosis", report.diagnosis());
        sentences("Suggestions", report.suggestions());
        html.closeLine();
        sentences("Notes", report.notes());
        html.closeLine();
    }

    private void sentences(String title, List<String> sentences) {
        if (!sentences.isEmpty()) {
            html.open("div").element("h3", title);
            HtmlPage.list(html, sentences);
            html.close();
        }
    }

    private void division() {
        List<Part> parts = headline.division();
        if (parts.isEmpty()) {
            return;
        }
        html.open("section", "aria-labelledby", "division");
        html.element("h2", "How the window divides", "id", "division");
        html.element(
                "p",
                "Head: before the first device operation. Span: to the end of the last one. Tail: after it.",
                "class",
                "aside");
        bars.stacked("Window", parts);
        html.open("ul", "class", "legend");
        for (Part part : parts) {
            html.open("li");
            bars.swatch(part);
            html.text(part.label() + ": " + Units.duration(part.ns()) + " (" + part.percent() + ")");
            if (headline.looksAway(part)) {
                html.text(" ").element("strong", "look here first");
            }
            html.close();
        }
        html.close().closeLine();
    }

    private void ledger(Ledger ledger) {
        List<Part> parts = Part.ofLedger(ledger);
        html.open("section", "aria-labelledby", "ledger");
        html.open("h2", "id", "ledger")
                .text("Ledger of ")
                .prose(headline.judged())
                .closeLine();
        bars.stacked("Ledger", parts);
        List<Table.Column> columns =
                List.of(Table.words("Class"), Table.number("Time"), Table.number("Share"), Table.words("Basis"));
        new HtmlTables(html).openWithBars("Ledger", columns);
        for (int i = 0; i < parts.size(); i++) {
            row(parts.get(i), ledger, ledger.entries().get(i));
        }
        html.close().close().close().closeLine();
    }

    private void row(Part part, Ledger ledger, Ledger.Entry entry) {
        html.open("tr").open("th", "scope", "row", "class", "words");
        bars.swatch(part);
        html.text(part.label()).close();
        html.element("td", Units.duration(part.ns()), "class", "number")
                .element("td", part.percent(), "class", "number");
        html.element("td", ReportTables.basis(entry), "class", "words");
        html.open("td", "class", "share");
        bars.single(part, ledger.share(entry.ns()));
        html.close().closeLine();
    }
}
