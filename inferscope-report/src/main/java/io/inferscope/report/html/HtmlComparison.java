package io.inferscope.report.html;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.report.common.ComparisonRenderer;
import io.inferscope.report.common.ComparisonText;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.scene.Scene;
import io.inferscope.report.tables.ComparisonTables;
import io.inferscope.report.tables.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A comparison as one HTML page.
 *
 * @param recordings both, to be drawn above each other; empty if only the report of one is known, or no script is
 *     wanted
 */
public record HtmlComparison(List<AnalyzedReport> recordings) implements ComparisonRenderer {
    /** Tables that are open at first: the changes of the whole. */
    private static final List<String> OPEN = List.of("parts", "steps", "ledger");

    /** Each of two recordings may fill half a page. */
    private static final Scene.Limits HALF =
            new Scene.Limits(Scene.Limits.USUAL.events() / 2, Scene.Limits.USUAL.bytes() / 2);

    public HtmlComparison {
        recordings = List.copyOf(recordings);
    }

    @Override
    public void render(Comparison comparison, Appendable out) throws IOException {
        List<HtmlTimeline> timelines = timelines();
        String drawing = timelines.stream()
                .map(HtmlTimeline::script)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
        String script = drawing.isEmpty() ? "" : drawing + HtmlPage.source("changes.js");
        HtmlPage.write(ComparisonText.title(comparison), "conclusion", script, out, html -> {
            conclusion(html, comparison);
            cautions(html, comparison);
            timelines.forEach(timeline -> timeline.write(html, false));
            HtmlTables tables = new HtmlTables(html);
            tables.open(ComparisonTables.parties(comparison));
            List<String> open = comparison.groups().stream()
                    .filter(group -> OPEN.contains(group.id()))
                    .map(Comparison.Group::title)
                    .toList();
            for (Table table : ComparisonTables.of(comparison)) {
                if (open.contains(table.title())) {
                    tables.open(table);
                } else {
                    tables.folded(table);
                }
            }
            changes(html, comparison, timelines);
            timelines.forEach(timeline -> timeline.writeStacks(html));
            timelines.forEach(timeline -> timeline.writeData(html, ""));
        });
    }

    private List<HtmlTimeline> timelines() throws IOException {
        List<HtmlTimeline> timelines = new ArrayList<>();
        for (AnalyzedReport recording : recordings) {
            String which = timelines.isEmpty() ? "before" : "after";
            timelines.add(HtmlTimeline.of(
                    "-" + which,
                    " " + which + ": " + PlainText.shorten(recording.report().title(), PlainText.NAME),
                    recording.analysis(),
                    recording.report(),
                    HALF));
        }
        return timelines;
    }

    /**
     * Writes where the script draws how the time by call stack changed: per unit of work, if both trees are of the part
     * that was divided into units, and as shares otherwise.
     */
    private static void changes(Html html, Comparison comparison, List<HtmlTimeline> timelines) {
        List<Scene> scenes = timelines.stream()
                .map(HtmlTimeline::scene)
                .filter(Objects::nonNull)
                .toList();
        if (scenes.size() < 2) {
            return;
        }
        Optional<LedgerPart> part = scenes.get(0).judgedPart();
        boolean divided = part.isPresent()
                && part.equals(scenes.get(1).judgedPart())
                && switch (comparison.unit()) {
                    case STEP, REQUEST -> true;
                    case SPAN -> false;
                    case WINDOW -> part.get() == LedgerPart.WINDOW;
                };
        html.open(
                "section",
                "id",
                "changes",
                "class",
                "drawn",
                "aria-labelledby",
                "changes-title",
                "hidden",
                "hidden",
                "data-unit",
                divided ? comparison.unit().id() : "",
                "data-before",
                Double.toString(comparison.before().units()),
                "data-after",
                Double.toString(comparison.after().units()));
        html.element("h2", "Changes by call stack", "id", "changes-title").line();
        html.open("div").closeLine().closeLine();
    }

    private static void conclusion(Html html, Comparison comparison) {
        html.open("section", "class", "verdict", "aria-labelledby", "conclusion");
        html.open("h2", "id", "conclusion")
                .text("Conclusion: ")
                .element("span", comparison.outcome().id(), "class", "bound")
                .close();
        html.open("p", "class", "claim").prose(comparison.conclusion().get(0)).closeLine();
        HtmlPage.list(
                html, comparison.conclusion().subList(1, comparison.conclusion().size()));
        html.closeLine();
    }

    private static void cautions(Html html, Comparison comparison) {
        if (comparison.cautions().isEmpty()) {
            return;
        }
        html.open("section", "class", "card warning", "aria-labelledby", "care");
        html.element("h2", "Read with care", "id", "care");
        html.element("p", "The recordings differ in more than the program.");
        HtmlPage.list(html, comparison.cautions());
        html.closeLine();
    }
}
