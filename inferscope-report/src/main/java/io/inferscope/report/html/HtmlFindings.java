package io.inferscope.report.html;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.FindingText;
import io.inferscope.report.common.Prose;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Findings as cards. Severity is a word first and a colour second. */
final class HtmlFindings {
    private final Html html;
    private final HtmlTimeline timeline;
    private final RulePages pages = new RulePages();
    private final Set<String> explained = new HashSet<>();

    HtmlFindings(Html html, HtmlTimeline timeline) {
        this.html = html;
        this.timeline = timeline;
    }

    void write(Report report) throws IOException {
        html.open("section", "id", "findings", "aria-labelledby", "findings-title");
        html.element("h2", "Findings", "id", "findings-title").line();
        if (report.findings().isEmpty()) {
            boolean silent = report.trust().stream().anyMatch(check -> !check.passed() && check.withholds());
            html.element(
                    "p",
                    silent
                            ? "No rule ran: the recording is not good enough for a verdict."
                            : "No rule found anything.");
        }
        List<Finding> findings = report.findings();
        for (int i = 0; i < findings.size(); i++) {
            card(new FindingText(report, findings.get(i)), i + 1);
        }
        html.closeLine();
    }

    private void card(FindingText text, int number) throws IOException {
        Finding finding = text.finding();
        html.open("article", "class", "card " + finding.severity().id(), "id", "F" + number, "tabindex", "-1")
                .line();
        html.open("h3").text(number + ". ").prose(text.title()).closeLine();
        html.open("p", "class", "facts").element("strong", text.severity(), "class", "badge");
        if (!text.cost().isEmpty()) {
            html.text(" ").text(text.cost());
        }
        html.text(" ")
                .open("span", "class", "aside")
                .text("rule ")
                .name(finding.rule())
                .close();
        html.closeLine();
        html.open("p", "class", "claim").prose(finding.claim()).closeLine();
        evidence(text);
        html.open("dl");
        if (!finding.advice().isBlank()) {
            html.element("dt", "Change").open("dd").prose(finding.advice()).close();
        }
        if (text.claimsOrExplainsGain()) {
            html.element("dt", "Gain").open("dd").prose(text.gain()).close();
        }
        html.closeLine();
        explanation(finding.rule());
        html.closeLine();
    }

    /** Writes the rule's page, once per report. */
    private void explanation(String rule) throws IOException {
        Optional<String> page = explained.add(rule) ? pages.html(rule) : Optional.empty();
        if (page.isPresent()) {
            html.open("details", "class", "explained").element("summary", "What this means, and when it is wrong");
            html.line().trusted(page.get()).closeLine();
        }
    }

    private void evidence(FindingText text) {
        List<Evidence> evidence = text.finding().evidence();
        if (evidence.isEmpty()) {
            return;
        }
        List<Evidence.Range> ranges = evidence.stream()
                .filter(Evidence.Range.class::isInstance)
                .map(Evidence.Range.class::cast)
                .toList();
        if (!ranges.isEmpty()) {
            html.open("div", "class", "strip");
            new HtmlBars(html).marks(text.report().window(), ranges);
            html.close();
        }
        html.open("ul", "class", "evidence");
        List<Prose> words = text.evidence();
        for (int i = 0; i < words.size(); i++) {
            html.open("li").prose(words.get(i));
            timeline.link(html, evidence.get(i));
            html.close();
        }
        html.closeLine();
    }
}
