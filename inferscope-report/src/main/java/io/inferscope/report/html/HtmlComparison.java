package io.inferscope.report.html;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.report.common.ComparisonRenderer;
import io.inferscope.report.common.ComparisonText;
import io.inferscope.report.tables.ComparisonTables;
import io.inferscope.report.tables.Table;
import java.io.IOException;
import java.util.List;

/** A comparison as one HTML page. */
public final class HtmlComparison implements ComparisonRenderer {
    /** Tables that stand open: what changed as a whole. */
    private static final List<String> OPEN = List.of("parts", "steps", "ledger");

    @Override
    public void render(Comparison comparison, Appendable out) throws IOException {
        HtmlPage.write(ComparisonText.title(comparison), "conclusion", "", out, html -> {
            conclusion(html, comparison);
            cautions(html, comparison);
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
        });
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
        html.element("p", "The recordings differ beside the program.");
        HtmlPage.list(html, comparison.cautions());
        html.closeLine();
    }
}
