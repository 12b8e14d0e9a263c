package io.inferscope.report.shapes;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.ShapeText;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.json.JsonShapeReport;
import io.inferscope.shapes.ShapeDifference;
import io.inferscope.shapes.ShapeReport;
import io.inferscope.shapes.ShapeReport.LogFigures;
import io.inferscope.shapes.ShapeReport.Totals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns shape reports and their comparisons into text, in every format of {@code Renderers.formats}. Equal reports give
 * equal text.
 */
public final class ShapeRenderer {
    private ShapeRenderer() {}

    /**
     * Writes a report.
     *
     * @param shapes whether the console lists shapes; the other formats always do
     */
    public static void render(ShapeReport report, boolean shapes, String format, ConsoleOptions console, Appendable out)
            throws IOException {
        if (format.equals("json")) {
            JsonShapeReport.write(report, out);
            return;
        }
        boolean listed = shapes || !format.equals("console");
        new TablesPage(
                        "shapes of " + report.title(),
                        conclusion(report),
                        report.cautions(),
                        List.of(),
                        ShapeLogTables.of(report, listed))
                .render(format, console, out);
    }

    /** Writes a comparison. */
    public static void render(ShapeDifference difference, String format, ConsoleOptions console, Appendable out)
            throws IOException {
        if (format.equals("json")) {
            JsonShapeReport.write(difference, out);
            return;
        }
        String title = "shapes of " + difference.labels().get(1) + " compared with "
                + difference.labels().get(0);
        new TablesPage(
                        title,
                        conclusion(difference),
                        difference.cautions(),
                        List.of(),
                        new ShapeDiffTables(difference).all())
                .render(format, console, out);
    }

    private static List<String> conclusion(ShapeReport report) {
        Totals totals = report.totals();
        List<String> sentences = new ArrayList<>();
        sentences.add(plural(totals.calls(), "operator call") + ", " + plural(totals.operators(), "operator")
                + " by name" + (report.quick() ? "." : ", " + plural(totals.shapes(), "unique shape") + "."));
        if (!report.operators().isEmpty()) {
            String name = report.operators().get(0).name();
            long calls = report.operators().get(0).totals().calls();
            sentences.add("Most common: `" + name.replace('`', '\'') + "`, " + plural(calls, "call") + ".");
        }
        if (totals.workCalls() > 0 && !report.quick()) {
            sentences.add("Work: " + Units.flops(totals.flops()) + ", known for "
                    + ShapeText.share(totals.workCalls(), totals.calls()) + " of the calls; least memory traffic "
                    + Units.bytes(totals.bytes()) + ", known for "
                    + ShapeText.share(totals.trafficCalls(), totals.calls()) + ".");
        }
        if (report.passCount() > 0) {
            sentences.add(plural(report.passCount(), "forward pass").replace("passs", "passes") + ".");
        }
        if (totals.errors() > 0) {
            sentences.add(plural(totals.errors(), "call") + " failed.");
        }
        if (report.logs().size() > 1) {
            sentences.add(
                    report.differenceCount() == 0
                            ? "All " + report.logs().size() + " logs hold the same calls."
                            : plural(report.differenceCount(), "operator") + " differ between the "
                                    + report.logs().size() + " logs.");
        }
        return sentences;
    }

    private static List<String> conclusion(ShapeDifference difference) {
        List<String> sentences = new ArrayList<>();
        sentences.add(
                difference.isSame()
                        ? "No difference: both hold the same operators with the same shapes, as often."
                        : "The logs differ.");
        for (int i = 0; i < 2; i++) {
            LogFigures log = difference.logs().get(i);
            sentences.add(difference.labels().get(i) + ": "
                    + plural(log.totals().calls(), "operator call") + ", "
                    + plural(log.totals().operators(), "operator") + " by name, "
                    + plural(log.totals().shapes(), "unique shape") + ", "
                    + plural(log.totals().errors(), "failure") + ".");
        }
        sentences.add(plural(difference.commonOperators(), "operator") + " in both, of which "
                + Units.count(difference.countsTotal()) + " differ in calls or shapes.");
        return sentences;
    }

    private static String plural(long count, String noun) {
        return Units.count(count) + " " + noun + (count == 1 ? "" : "s");
    }
}
