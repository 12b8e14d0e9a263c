package io.inferscope.report;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.TrustCheck;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * The report as one HTML file that asks for nothing: no script, no font, no picture. Its own policy forbids every request and
 * every script, so that a name which slipped through the escaping could still do nothing.
 */
final class HtmlRenderer implements Renderer {
    @Override
    public String format() {
        return "html";
    }

    @Override
    public void render(Report report, Appendable out) throws IOException {
        Html html = new Html();
        html.trusted("<!DOCTYPE html>\n").open("html", "lang", "en").line();
        head(html, report, style());
        body(html, report);
        html.closeLine();
        out.append(html.toString());
    }

    private static void head(Html html, Report report, String style) {
        html.open("head").line().leaf("meta", "charset", "utf-8").line();
        html.leaf("meta", "http-equiv", "Content-Security-Policy", "content", policy(style))
                .line();
        html.leaf("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
                .line();
        html.leaf("meta", "name", "color-scheme", "content", "light dark").line();
        html.element("title", "InferScope: " + PlainText.shorten(report.title(), PlainText.NAME))
                .line();
        html.open("style").trusted(style).closeLine().closeLine();
    }

    private static String policy(String style) {
        return "default-src 'none'; script-src 'none'; style-src 'sha256-" + sha256(style)
                + "'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
    }

    private static void body(Html html, Report report) throws IOException {
        html.open("body")
                .line()
                .element("a", "Skip to the findings", "class", "skip", "href", "#findings")
                .line();
        html.open("header").open("p", "class", "product").text("InferScope").close();
        html.open("h1")
                .text(PlainText.shorten(report.title().isBlank() ? "report" : report.title(), PlainText.NAME))
                .close()
                .closeLine();
        html.open("main").line();
        new HtmlHead(html, new Headline(report)).write();
        new HtmlFindings(html).write(report);
        recording(html, report);
        tables(html, report);
        html.closeLine().closeLine();
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

    private static String style() throws IOException {
        try (InputStream in = HtmlRenderer.class.getResourceAsStream("report.css")) {
            if (in == null) {
                throw new IOException("the style sheet report.css is missing from InferScope's own archive");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
