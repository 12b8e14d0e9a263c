package io.inferscope.report.markdown;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.FindingText;
import io.inferscope.report.common.Headline;
import io.inferscope.report.common.Part;
import io.inferscope.report.common.Renderer;
import io.inferscope.report.tables.RecordingTables;
import io.inferscope.report.tables.ReportTables;
import java.io.IOException;
import java.util.List;

/**
 * The report as GitHub-flavoured Markdown, for a file, a pull request or a step summary. Its first line marks it, so
 * that a tool can update it in place.
 */
public final class MarkdownRenderer implements Renderer {
    static final String MARKER = "<!-- inferscope-report -->";
    private static final int SENTENCES = 12;
    private static final int EVIDENCE = 6;

    @Override
    public String format() {
        return "markdown";
    }

    @Override
    public void render(Report report, Appendable out) throws IOException {
        MarkdownPage page = new MarkdownPage();
        Headline headline = new Headline(report);
        page.add(MARKER + "\n");
        page.paragraph("# InferScope: " + MarkdownText.name(report.title().isBlank() ? "report" : report.title()));
        warnings(page, headline);
        promised(page, headline);
        verdict(page, headline);
        findings(page, report);
        recording(page, report);
        page.paragraph("## Tables");
        ReportTables.afterHeadline(report).forEach(page::folded);
        page.writeTo(out);
    }

    private static void warnings(MarkdownPage page, Headline headline) {
        if (headline.withheld()) {
            page.paragraph("**No verdict:** "
                    + MarkdownText.prose(headline.report().verdict().claim()));
            page.sentences(headline.because(), SENTENCES);
        }
        page.sentences(headline.failures(), SENTENCES);
        List<String> failed = headline.failedChecks().stream()
                .map(check -> check(headline, check))
                .toList();
        if (!failed.isEmpty()) {
            page.paragraph("**Read with care:** the recording failed " + failed.size() + " of "
                    + headline.report().trust().size() + " trust checks.");
            page.items(failed, SENTENCES);
        }
    }

    private static String check(Headline headline, TrustCheck check) {
        String remedy = check.remedy().isBlank() ? "" : " Remedy: " + MarkdownText.prose(check.remedy());
        String found = headline.says(check) ? " failed." : ": " + sentence(check.detail());
        return MarkdownText.name(check.check()) + found + remedy;
    }

    /** The documented summary: latency, breakdown, diagnosis, suggestions. */
    private static void promised(MarkdownPage page, Headline headline) {
        page.paragraph(headline.latency() + ": " + headline.duration());
        page.add("Breakdown:\n");
        page.items(
                headline.breakdown().stream()
                        .map(part -> part.label() + ": " + Units.duration(part.ns()) + " (" + part.percent() + ")")
                        .toList(),
                SENTENCES);
        sentences(page, "Diagnosis:\n", headline.report().diagnosis());
        sentences(page, "Suggestions:\n", headline.report().suggestions());
    }

    private static void sentences(MarkdownPage page, String title, List<String> sentences) {
        if (!sentences.isEmpty()) {
            page.add(title).sentences(sentences, SENTENCES);
        }
    }

    private static void verdict(MarkdownPage page, Headline headline) {
        Report report = headline.report();
        page.paragraph("## Verdict");
        if (headline.withheld()) {
            page.paragraph("Withheld; see the head of this report.");
        } else {
            page.paragraph("**" + report.verdict().bound().id() + "**: "
                    + MarkdownText.prose(report.verdict().claim()));
            page.sentences(report.verdict().because(), SENTENCES);
        }
        List<Part> division = headline.division();
        if (!division.isEmpty()) {
            page.paragraph("How the window divides:");
            page.items(division.stream().map(part -> divided(headline, part)).toList(), SENTENCES);
        }
        headline.ledger().ifPresent(ledger -> page.table(ReportTables.ledger(ledger)));
        page.items(
                report.notes().stream()
                        .map(note -> "Note: " + MarkdownText.prose(note))
                        .toList(),
                SENTENCES);
    }

    private static String divided(Headline headline, Part part) {
        String text = part.label() + ": " + Units.duration(part.ns()) + " (" + part.percent() + ")";
        return headline.looksAway(part) ? "**" + text + "**, look here first" : text;
    }

    private static void findings(MarkdownPage page, Report report) {
        if (report.findings().isEmpty()) {
            return;
        }
        page.paragraph("## Findings");
        for (int i = 0; i < report.findings().size(); i++) {
            page.add(finding(report, i + 1, report.findings().get(i)));
        }
    }

    private static String finding(Report report, int number, Finding finding) {
        FindingText words = new FindingText(report, finding);
        MarkdownPage page = new MarkdownPage();
        page.paragraph("### " + number + ". " + MarkdownText.prose(words.title()));
        String cost = words.cost().isEmpty() ? "" : ": " + MarkdownText.prose(words.cost());
        page.paragraph("**" + words.severity() + "**" + cost + " (rule: " + MarkdownText.name(finding.rule()) + ")");
        page.paragraph(MarkdownText.prose(finding.claim()));
        page.items(words.evidence().stream().map(MarkdownText::prose).toList(), EVIDENCE);
        if (!finding.advice().isBlank()) {
            page.paragraph("**Change:** " + MarkdownText.prose(finding.advice()));
        }
        if (words.claimsOrExplainsGain()) {
            page.paragraph("**Gain:** " + MarkdownText.prose(words.gain()));
        }
        return page.toString();
    }

    private static void recording(MarkdownPage page, Report report) {
        page.paragraph("## Trust and coverage");
        Headline headline = new Headline(report);
        List<TrustCheck> passed =
                report.trust().stream().filter(TrustCheck::passed).toList();
        page.paragraph(passed.size() + " of " + report.trust().size() + " trust checks passed"
                + (passed.size() < report.trust().size() ? "; those that failed are at the head." : "."));
        if (!passed.isEmpty()) {
            MarkdownPage list = new MarkdownPage();
            list.items(passed.stream().map(check -> check(headline, check)).toList(), SENTENCES * 2);
            page.paragraph("<details><summary>Passed</summary>\n\n" + list + "</details>");
        }
        page.table(RecordingTables.sources(report));
        page.table(RecordingTables.coverage(report));
    }

    /** Returns a text with a full stop at its end. */
    private static String sentence(String text) {
        return MarkdownText.prose(text.isEmpty() || text.endsWith(".") ? text : text + ".");
    }
}
