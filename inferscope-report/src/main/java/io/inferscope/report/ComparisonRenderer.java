package io.inferscope.report;

import io.inferscope.analyzer.diff.Comparison;
import java.io.IOException;

/** Turns a comparison into text. Stateless: the same comparison gives the same characters, as with {@link Renderer}. */
public interface ComparisonRenderer {
    /** Writes {@code comparison}, line feeds only, ending with one. */
    void render(Comparison comparison, Appendable out) throws IOException;

    /**
     * Returns the renderer of a format, one of {@link Renderers#formats()}.
     *
     * @param console how to write for a terminal, used by {@code console} only
     * @throws IllegalArgumentException if there is no such format
     */
    static ComparisonRenderer of(String format, ConsoleOptions console) {
        return switch (format) {
            case "console" -> new ConsoleComparison(console);
            case "markdown" -> new MarkdownComparison();
            case "html" -> new HtmlComparison();
            case "json" -> new JsonComparison();
            default -> throw new IllegalArgumentException("no format \"" + format + "\"");
        };
    }
}
