package io.inferscope.report.common;

import io.inferscope.analyzer.diff.Comparison;
import java.io.IOException;

/** Turns a comparison into text. Stateless: the same comparison gives the same characters, as with {@link Renderer}. */
public interface ComparisonRenderer {
    /** Writes {@code comparison}, line feeds only, ending with one. */
    void render(Comparison comparison, Appendable out) throws IOException;
}
