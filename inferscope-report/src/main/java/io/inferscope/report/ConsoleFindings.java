package io.inferscope.report;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.report.ConsolePage.Tone;
import java.util.List;

/** The findings that matter most, each with its strongest evidence, what to change and what that is worth. */
final class ConsoleFindings {
    private final ConsolePage page;
    private final Headline headline;

    ConsoleFindings(ConsolePage page, Headline headline) {
        this.page = page;
        this.headline = headline;
    }

    void write(int limit) {
        List<Finding> findings = headline.report().findings();
        int shown = Math.min(limit, findings.size());
        if (shown <= 0) {
            return;
        }
        String of = shown < findings.size() ? " (" + shown + " of " + findings.size() + ")" : "";
        page.blank().line("Findings" + of + ":");
        for (int i = 0; i < shown; i++) {
            finding(i + 1, findings.get(i));
        }
    }

    private void finding(int number, Finding finding) {
        FindingText text = new FindingText(headline.report(), finding);
        page.wrapped(tone(finding.severity()), number + ". ", "   ", text.severity() + ": " + finding.claim());
        text.evidence().stream().limit(1).forEach(evidence -> page.fitted(Tone.FAINT, "   --> ", evidence.plain()));
        if (!finding.advice().isBlank() && !isSuggested(finding.advice())) {
            page.wrapped(Tone.PLAIN, "   help: ", "         ", finding.advice());
        }
        if (text.claimsOrExplainsGain()) {
            page.fitted(Tone.PLAIN, "   gain: ", text.gainWithoutAssumptions().plain());
        }
    }

    /** Returns whether the advice stands among the suggestions already. */
    private boolean isSuggested(String advice) {
        return headline.report().suggestions().stream()
                .limit(ConsoleRenderer.SENTENCES)
                .anyMatch(advice::equals);
    }

    private static Tone tone(Finding.Severity severity) {
        return switch (severity) {
            case CRITICAL -> Tone.BAD;
            case WARNING -> Tone.WARN;
            case INFO -> Tone.STRONG;
            case HEALTHY -> Tone.GOOD;
        };
    }
}
