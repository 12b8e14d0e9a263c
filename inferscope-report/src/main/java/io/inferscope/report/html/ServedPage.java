package io.inferscope.report.html;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.report.scene.Scene;
import java.io.IOException;
import java.util.Optional;

/** The page of a recording of any size, for a server: it requests events that it shows and does not hold. */
public final class ServedPage {
    /** The address of its script's requests, relative to the page. */
    public static final String RANGES = "range";

    private final AnalyzedReport explained;
    private final Scene.Limits limits;

    public ServedPage(AnalyzedReport explained) {
        this(explained, Scene.Limits.USUAL);
    }

    /** Makes a page that holds no more at a time than {@code limits} say. */
    public ServedPage(AnalyzedReport explained, Scene.Limits limits) {
        this.explained = explained;
        this.limits = limits;
    }

    public void write(Appendable out) throws IOException {
        new HtmlRenderer(explained.analysis(), true, limits, RANGES).render(explained.report(), out);
    }

    /**
     * Returns what the page reads in place of its own data: every event of a stretch, in ns from the window's start, as
     * far as it fits.
     */
    public byte[] range(long fromNs, long toNs) {
        Stretch window = explained.report().window();
        long from = Math.max(0, Math.min(fromNs, window.durationNs()));
        long to = Math.max(from, Math.min(toNs, window.durationNs()));
        Stretch wanted = new Stretch(window.startNs() + from, window.startNs() + to);
        return Scene.of(explained.analysis(), explained.report(), limits, Optional.of(wanted))
                .compressed();
    }
}
