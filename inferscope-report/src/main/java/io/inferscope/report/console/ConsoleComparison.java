package io.inferscope.report.console;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.FindingChange;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Comparison.Outcome;
import io.inferscope.report.common.ComparisonRenderer;
import io.inferscope.report.common.ComparisonText;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.console.ConsolePage.Tone;
import io.inferscope.report.tables.ComparisonTables;
import java.io.IOException;
import java.util.List;

/** A comparison for a terminal: the conclusion, and the largest changes of each kind. */
public record ConsoleComparison(ConsoleOptions options) implements ComparisonRenderer {
    private static final int LINES = 5;
    private static final int TIME = 10;
    private static final int RATIO = 9;

    @Override
    public void render(Comparison comparison, Appendable out) throws IOException {
        ConsolePage page = new ConsolePage(options);
        page.line(Tone.STRONG, "InferScope: " + ComparisonText.title(comparison))
                .blank();
        List<String> conclusion = comparison.conclusion();
        page.line(tone(comparison.outcome()), conclusion.get(0));
        conclusion.stream().skip(1).forEach(sentence -> page.item("- ", sentence));
        comparison.cautions().forEach(caution -> page.wrapped(Tone.WARN, "! ", "  ", caution));
        comparison.groups().forEach(group -> group(page, comparison, group));
        findings(page, comparison);
        page.writeTo(out);
    }

    private static Tone tone(Outcome outcome) {
        return switch (outcome) {
            case FASTER -> Tone.GOOD;
            case SLOWER, WITHHELD, INCOMPARABLE -> Tone.BAD;
            case SAME, WITHIN_NOISE -> Tone.STRONG;
        };
    }

    private static void group(ConsolePage page, Comparison comparison, Group group) {
        List<Change> changes =
                group.changes().stream().filter(change -> !change.isSame()).toList();
        if (changes.isEmpty()) {
            return;
        }
        String per = ComparisonTables.isDivided(comparison, group)
                ? ", per " + comparison.unit().id()
                : "";
        String of = changes.size() > LINES ? ", " + LINES + " of " + changes.size() + " that changed" : "";
        page.blank().line(group.title() + per + of + ":");
        page.line(right("before", TIME + 2) + right("after", TIME) + right("change", TIME + 1) + right("ratio", RATIO));
        changes.stream().limit(LINES).forEach(change -> line(page, change));
    }

    /** Writes a change. Its name is cut to two lines at the end, because the beginning is more informative. */
    private static void line(ConsolePage page, Change change) {
        String lead = lead(change);
        int room = 2 * (page.width() - lead.length()) - 1;
        String name = PlainText.clean(change.name(), PlainText.NAME);
        int end = name.length() <= room ? name.length() : name.offsetByCodePoints(0, name.codePointCount(0, room - 1));
        page.wrapped(
                Tone.PLAIN, lead, " ".repeat(lead.length()), end < name.length() ? name.substring(0, end) + "…" : name);
    }

    private static String lead(Change change) {
        return right(change.beforeCount() == 0 ? "-" : ComparisonTables.time(change.beforeNs()), TIME + 2)
                + right(change.afterCount() == 0 ? "-" : ComparisonTables.time(change.afterNs()), TIME)
                + right(ComparisonTables.signedTime(change.grownNs()), TIME + 1)
                + right(ComparisonTables.ratio(change), RATIO)
                + "  ";
    }

    private static void findings(ConsolePage page, Comparison comparison) {
        List<FindingChange> changed = comparison.findings().stream()
                .filter(finding -> !finding.beforeSeverity().equals(finding.afterSeverity()))
                .toList();
        if (!changed.isEmpty()) {
            page.blank().line("Findings:");
            changed.forEach(finding -> page.item(
                    "- ",
                    finding.rule() + ": " + said(finding.beforeSeverity()) + " -> " + said(finding.afterSeverity())));
        }
    }

    private static String said(String severity) {
        return severity.isEmpty() ? "not found" : severity;
    }

    private static String right(String text, int width) {
        return " ".repeat(Math.max(1, width - text.length())) + text;
    }
}
