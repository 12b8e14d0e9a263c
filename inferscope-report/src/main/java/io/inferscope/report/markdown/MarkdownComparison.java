package io.inferscope.report.markdown;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.report.common.ComparisonRenderer;
import io.inferscope.report.tables.ComparisonTables;
import java.io.IOException;

/** A comparison as GitHub-flavoured Markdown. Its first line marks it, so that a tool can update it in place. */
public final class MarkdownComparison implements ComparisonRenderer {
    static final String MARKER = "<!-- inferscope-diff -->";
    private static final int SENTENCES = 20;

    @Override
    public void render(Comparison comparison, Appendable out) throws IOException {
        MarkdownPage page = new MarkdownPage();
        page.add(MARKER + "\n");
        page.paragraph("# InferScope: " + MarkdownText.name(comparison.after().title()) + " compared with "
                + MarkdownText.name(comparison.before().title()));
        page.paragraph("**" + MarkdownText.prose(comparison.conclusion().get(0)) + "**");
        page.sentences(
                comparison.conclusion().subList(1, comparison.conclusion().size()), SENTENCES);
        if (!comparison.cautions().isEmpty()) {
            page.paragraph("**Read with care:** the recordings differ in more than the program.");
            page.sentences(comparison.cautions(), SENTENCES);
        }
        page.table(ComparisonTables.parties(comparison));
        ComparisonTables.of(comparison).forEach(page::table);
        page.writeTo(out);
    }
}
