package io.inferscope.report.common;

import io.inferscope.analyzer.model.Report;
import java.io.IOException;

/** Turns a report into text. Stateless: the same report gives the same characters, whatever the locale, time zone, host or clock. */
public interface Renderer {
    /** Returns the name by which {@code Renderers.byFormat} finds it. */
    String format();

    /** Writes {@code report}, line feeds only, ending with one. */
    void render(Report report, Appendable out) throws IOException;
}
