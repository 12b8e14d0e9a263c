package io.inferscope.report.console;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.FindingText;
import io.inferscope.report.common.Headline;
import io.inferscope.report.console.ConsolePage.Tone;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What is wrong, where, what to change and what that is worth, in at most nine lines: whoever reads no further has the answer. */
final class ConsoleSummary {
    private static final Pattern SOURCE_LINE = Pattern.compile(":\\d+");

    private ConsoleSummary() {}

    static void write(ConsolePage page, Headline headline) {
        if (headline.withheld()) {
            return;
        }
        Report report = headline.report();
        page.atMost(
                2,
                Tone.STRONG,
                "Verdict: ",
                report.verdict().bound().id() + ". " + report.verdict().claim());
        speaking(report.findings()).ifPresent(finding -> {
            FindingText text = new FindingText(report, finding);
            page.atMost(2, Tone.PLAIN, "Wrong:   ", finding.claim());
            where(finding).ifPresent(where -> page.atMost(1, Tone.PLAIN, "Where:   ", where));
            if (!finding.advice().isBlank()) {
                page.atMost(2, Tone.PLAIN, "Change:  ", finding.advice());
            }
            if (text.claimsOrExplainsGain()) {
                page.atMost(
                        2,
                        Tone.PLAIN,
                        "Worth:   ",
                        text.gainWithoutAssumptions().plain());
            }
        });
        page.blank();
    }

    /** Returns the finding to act on: of the most severe ones the first whose gain is known, else the first; good news asks for nothing. */
    private static Optional<Finding> speaking(List<Finding> findings) {
        List<Finding> worst = findings.stream()
                .filter(finding -> finding.severity() != Finding.Severity.HEALTHY
                        && finding.severity() == findings.get(0).severity())
                .toList();
        return worst.stream()
                .filter(finding -> finding.gain() != null)
                .findFirst()
                .or(() -> worst.stream().findFirst());
    }

    /** Returns the line of code, or else the place, that its evidence names first. */
    private static Optional<String> where(Finding finding) {
        List<String> places = finding.places();
        return places.stream()
                .filter(where -> SOURCE_LINE.matcher(where).find())
                .findFirst()
                .or(() -> places.stream().findFirst());
    }
}
