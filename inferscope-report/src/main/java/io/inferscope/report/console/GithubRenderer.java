package io.inferscope.report.console;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.report.common.ComparisonRenderer;
import io.inferscope.report.common.FindingText;
import io.inferscope.report.common.Headline;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.common.Renderer;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the findings as workflow commands: when a step of GitHub Actions prints them, GitHub shows them as annotations
 * beside their lines of code. The most important come first, because GitHub shows only ten of a kind per step.
 */
public final class GithubRenderer implements Renderer, ComparisonRenderer {
    private static final String NOTICE = "notice";
    private static final String WARNING = "warning";
    private static final Pattern SOURCE_LINE = Pattern.compile("^([^\\s:][^:]*):(\\d{1,9})(?!\\d)");

    @Override
    public String format() {
        return "github";
    }

    @Override
    public void render(Report report, Appendable out) throws IOException {
        Headline headline = new Headline(report);
        String verdict =
                headline.withheld() ? "no verdict" : report.verdict().bound().id();
        command(
                out,
                headline.withheld() ? WARNING : NOTICE,
                "",
                verdict,
                report.verdict().claim());
        for (String failure : headline.failures()) {
            command(out, WARNING, "", "a part of the report is missing", failure);
        }
        for (TrustCheck check : headline.failedChecks()) {
            command(out, WARNING, "", check.check(), sentence(check.detail()) + check.remedy());
        }
        for (Finding finding : report.findings()) {
            command(
                    out,
                    finding.severity().compareTo(Finding.Severity.INFO) < 0 ? WARNING : NOTICE,
                    place(finding),
                    new FindingText(report, finding).title(),
                    sentence(finding.claim()) + finding.advice());
        }
    }

    @Override
    public void render(Comparison comparison, Appendable out) throws IOException {
        String kind = comparison.outcome() == Comparison.Outcome.SLOWER ? WARNING : NOTICE;
        for (String sentence : comparison.conclusion()) {
            command(out, kind, "", comparison.outcome().id(), sentence);
        }
        for (String caution : comparison.cautions()) {
            command(out, NOTICE, "", "read with care", caution);
        }
    }

    private static String sentence(String text) {
        return text.isBlank() ? "" : text + (text.endsWith(".") ? " " : ". ");
    }

    private static String place(Finding finding) {
        Optional<Matcher> line = finding.places().stream()
                .map(SOURCE_LINE::matcher)
                .filter(Matcher::find)
                .findFirst();
        return line.map(found -> "file=" + property(found.group(1)) + ",line=" + found.group(2) + ",")
                .orElse("");
    }

    /** Writes a command on one line. "%" is escaped in texts; ":" and "," also in properties. */
    private static void command(Appendable out, String kind, String place, String title, String message)
            throws IOException {
        out.append("::" + kind + " " + place + "title=" + property("InferScope: " + title) + "::");
        out.append(escaped(message.strip(), PlainText.SENTENCE)).append('\n');
    }

    private static String property(String text) {
        return escaped(text, PlainText.NAME).replace(":", "%3A").replace(",", "%2C");
    }

    private static String escaped(String text, int most) {
        return PlainText.clean(text, most).replace("%", "%25");
    }
}
