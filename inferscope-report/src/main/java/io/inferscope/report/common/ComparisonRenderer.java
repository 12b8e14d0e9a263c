package io.inferscope.report.common;

import io.inferscope.analyzer.diff.Comparison;
import java.io.IOException;

/** Turns a comparison into text. Stateless, like {@link Renderer}: equal comparisons give equal text. */
public interface ComparisonRenderer {
    /** Writes {@code comparison}, line feeds only, ending with one. */
    void render(Comparison comparison, Appendable out) throws IOException;
}
