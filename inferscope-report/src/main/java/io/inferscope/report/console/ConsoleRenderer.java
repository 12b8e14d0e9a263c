package io.inferscope.report.console;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.FindingText;
import io.inferscope.report.common.Headline;
import io.inferscope.report.common.Part;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.common.RecordingCost;
import io.inferscope.report.common.Renderer;
import io.inferscope.report.console.ConsolePage.Tone;
import io.inferscope.report.tables.RecordingTables;
import io.inferscope.timeline.TimelineInfo.Coverage;
import java.io.IOException;
import java.util.List;

/**
 * The report for a terminal: the conclusion, the ledger and the findings that matter most, on one screen. The other
 * formats have the rest.
 */
public record ConsoleRenderer(ConsoleOptions options) implements Renderer {
    private static final String INDENT = "         ";

    static final int SENTENCES = 3;
    private static final int CLASSES = 4;
    private static final int LABEL = 28;

    @Override
    public String format() {
        return "console";
    }

    @Override
    public void render(Report report, Appendable out) throws IOException {
        ConsolePage page = new ConsolePage(options);
        Headline headline = new Headline(report);
        warnings(page, headline);
        summary(page, headline);
        promised(page, headline);
        ledgers(page, headline);
        ConsoleWork.write(page, report);
        new ConsoleFindings(page, headline).write(options.findings());
        recording(page, headline);
        page.writeTo(out);
    }

    /** Writes a withheld verdict and failed checks, before any figure. */
    private static void warnings(ConsolePage page, Headline headline) {
        Report report = headline.report();
        page.line(Tone.STRONG, "InferScope: " + PlainText.shorten(report.title(), PlainText.NAME));
        if (headline.withheld()) {
            page.line(Tone.BAD, "No verdict: " + report.verdict().claim());
            headline.because().stream().limit(SENTENCES).forEach(because -> page.item("  - ", because));
        }
        List<String> failures = headline.failures();
        failures.stream().limit(SENTENCES).forEach(failure -> page.wrapped(Tone.BAD, "! ", "  ", failure));
        more(page, "! ", failures.size(), SENTENCES, "parts at which InferScope failed");
        List<TrustCheck> failed = headline.failedChecks();
        failed.stream().limit(SENTENCES).forEach(check -> {
            page.wrapped(
                    Tone.WARN, "! ", "  ", check.check() + (headline.says(check) ? " failed" : ": " + check.detail()));
            if (!check.remedy().isBlank()) {
                page.wrapped(Tone.PLAIN, "  remedy: ", "  ", check.remedy());
            }
        });
        more(page, "! ", failed.size(), SENTENCES, "failed checks");
        if (headline.withheld()) {
            page.blank();
        }
    }

    /** The documented summary: latency, breakdown, diagnosis, suggestions. */
    private static void promised(ConsolePage page, Headline headline) {
        page.line(Tone.STRONG, headline.latency() + ": " + headline.duration()).blank();
        page.line("Breakdown:");
        List<Part> parts = Part.folded(headline.breakdown());
        int widest =
                parts.stream().mapToInt(part -> part.label().length()).max().orElse(0);
        for (Part part : parts) {
            page.line("- " + padded(part.label() + ":", widest + 2) + Units.duration(part.ns()) + " (" + part.percent()
                    + ")");
        }
        sentences(page, "Diagnosis:", headline.report().diagnosis());
        sentences(page, "Suggestions:", headline.report().suggestions());
    }

    private static void sentences(ConsolePage page, String title, List<String> sentences) {
        if (!sentences.isEmpty()) {
            page.blank().line(title);
            sentences.stream().limit(SENTENCES).forEach(sentence -> page.item("- ", sentence));
        }
    }

    private static void ledgers(ConsolePage page, Headline headline) {
        page.blank();
        division(page, headline);
        headline.ledger().ifPresent(ledger -> ledger(page, headline, ledger));
    }

    private static void division(ConsolePage page, Headline headline) {
        List<Part> parts = headline.division();
        if (parts.isEmpty()) {
            return;
        }
        List<String> words = parts.stream()
                .map(part -> part.label() + " " + Units.duration(part.ns()) + " (" + part.percent() + ")"
                        + (headline.looksAway(part) ? " <- look here" : ""))
                .toList();
        page.wrapped(Tone.PLAIN, "Window: ", "        ", String.join(", ", words));
    }

    private static void ledger(ConsolePage page, Headline headline, Ledger ledger) {
        page.line("Ledger of " + headline.judged() + ", " + Units.duration(ledger.durationNs()) + ":");
        List<Part> parts = Part.ofLedger(ledger);
        int barWidth = page.width() - LABEL - 22;
        for (Part part : parts.subList(0, Math.min(CLASSES, parts.size()))) {
            page.line("  " + padded(part.label(), LABEL) + right(Units.duration(part.ns()), 9)
                    + right(part.percent(), 7) + "  " + page.bar(ledger.share(part.ns()), barWidth));
        }
        if (parts.size() > CLASSES) {
            long restNs = parts.stream().skip(CLASSES).mapToLong(Part::ns).sum();
            page.line("  " + padded(smaller(parts.size() - CLASSES), LABEL) + right(Units.duration(restNs), 9)
                    + right(Units.percent(ledger.share(restNs)), 7));
        }
    }

    private static String smaller(int classes) {
        return classes == 1 ? "1 smaller class" : classes + " smaller classes";
    }

    private static void recording(ConsolePage page, Headline headline) {
        Report report = headline.report();
        page.blank();
        report.notes().stream().limit(SENTENCES).forEach(note -> page.wrapped(Tone.PLAIN, "note: ", "      ", note));
        RecordingTables.sentences(report.sources())
                .forEach(sentence -> page.wrapped(Tone.PLAIN, "clock: ", "       ", sentence));
        long passed = report.trust().stream().filter(TrustCheck::passed).count();
        long clean = report.outcomes().stream()
                .filter(o -> o.outcome() == RuleOutcome.Outcome.CLEAN)
                .count();
        page.wrapped(
                Tone.PLAIN,
                "trust: ",
                "       ",
                passed + " of " + report.trust().size() + " checks passed"
                        + (clean == 0 ? "" : "; " + causes(clean) + " ruled out"));
        String cost = RecordingCost.sentence(report);
        if (!cost.isEmpty()) {
            page.wrapped(Tone.PLAIN, "cost: ", "      ", cost);
        }
        List<String> unseen = report.coverage().stream()
                .filter(ConsoleRenderer::isWorthALine)
                .map(coverage -> coverage.source() + (coverage.why().isBlank() ? "" : " (" + coverage.why() + ")"))
                .toList();
        if (!unseen.isEmpty()) {
            page.wrapped(Tone.PLAIN, "not seen: ", "          ", String.join("; ", unseen));
        }
    }

    private static String causes(long count) {
        return count == 1 ? "1 other cause" : Units.count(count) + " other causes";
    }

    /**
     * Returns whether incomplete coverage is worth a line. A hook whose function is missing in this version of a
     * library is only in the tables, because nothing is lost.
     */
    private static boolean isWorthALine(Coverage coverage) {
        return coverage.missing() > 0
                || (!coverage.why().isBlank() && !coverage.source().contains(":"));
    }

    private static void more(ConsolePage page, String lead, int all, int shown, String what) {
        if (all > shown) {
            page.line(lead + (all - shown) + " more " + what);
        }
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(1, width - text.length()));
    }

    private static String right(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    /** Writes the problem, its place, the advice and its gain, sufficient for readers who stop there; the last two are never cut. */
    private static void summary(ConsolePage page, Headline headline) {
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
