package io.inferscope.report.common;

import io.inferscope.analyzer.model.Report;
import java.io.IOException;

/**
 * Turns a report into text. Stateless: equal reports give equal text, independent of locale, time zone, host and clock.
 */
public interface Renderer {
    /** Returns the name by which {@code Renderers.byFormat} finds it. */
    String format();

    /** Writes {@code report}, line feeds only, ending with one. */
    void render(Report report, Appendable out) throws IOException;
}
