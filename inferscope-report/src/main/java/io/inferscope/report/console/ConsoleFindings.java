package io.inferscope.report.console;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.report.common.FindingText;
import io.inferscope.report.common.Headline;
import io.inferscope.report.common.Prose;
import io.inferscope.report.console.ConsolePage.Tone;
import java.util.List;

/** The most important findings, each with its strongest evidence, advice and gain. */
record ConsoleFindings(ConsolePage page, Headline headline) {
    /** Longest name of a place, in characters: about two lines. */
    private static final int NAME = 160;

    void write(int limit) {
        List<Finding> findings = headline.report().findings();
        int shown = Math.min(limit, findings.size());
        if (shown <= 0) {
            return;
        }
        String of = shown < findings.size() ? " (" + shown + " of " + findings.size() + "; -o FILE.html has all)" : "";
        page.blank().line("Findings" + of + ":");
        for (int i = 0; i < shown; i++) {
            finding(i + 1, findings.get(i));
        }
    }

    private void finding(int number, Finding finding) {
        FindingText text = new FindingText(headline.report(), finding);
        page.wrapped(tone(finding.severity()), number + ". ", "   ", text.severity() + ": " + finding.claim());
        List<Prose> evidence = text.evidence(NAME);
        for (int i = 0; i < evidence.size(); i++) {
            if (i == 0 || i == firstLine(finding)) {
                page.wrapped(Tone.FAINT, "   --> ", "       ", evidence.get(i).plain());
            }
        }
        if (!finding.advice().isBlank() && !isAbove(finding.advice())) {
            page.wrapped(Tone.PLAIN, "   help: ", "         ", finding.advice());
        }
        if (finding.gain() != null) { // The other formats explain a missing gain.
            page.wrapped(
                    Tone.PLAIN,
                    "   gain: ",
                    "         ",
                    text.gainWithoutAssumptions().plain());
        }
    }

    /** Returns the index of the first evidence that names a line of code, -1 for none. */
    private static int firstLine(Finding finding) {
        for (int i = 0; i < finding.evidence().size(); i++) {
            if (finding.evidence().get(i) instanceof Evidence.Place place
                    && FindingText.SOURCE_LINE.matcher(place.where()).find()) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether the suggestions or the verdict already contain the advice. */
    private boolean isAbove(String advice) {
        return headline.report().verdict().asksFor(advice)
                || headline.report().suggestions().stream()
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
