package io.inferscope.report.console;

import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.FindingText;
import io.inferscope.report.common.Headline;
import io.inferscope.report.console.ConsolePage.Tone;

/** The problem, its place, the advice and its gain, sufficient for readers who stop there. The last two are never cut. */
final class ConsoleSummary {
    private static final String INDENT = "         ";

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
        headline.first().ifPresent(finding -> {
            FindingText text = new FindingText(report, finding);
            page.atMost(2, Tone.PLAIN, String.format("%-9s", Headline.label(finding) + ':'), finding.claim());
            text.where().ifPresent(where -> page.atMost(1, Tone.PLAIN, "Where:   ", where));
            if (!finding.advice().isBlank()) {
                page.wrapped(Tone.PLAIN, "Change:  ", INDENT, finding.advice());
            }
            if (text.claimsOrExplainsGain()) {
                page.wrapped(
                        Tone.PLAIN,
                        "Worth:   ",
                        INDENT,
                        text.gainWithoutAssumptions().plain());
            }
        });
        page.blank();
    }
}
