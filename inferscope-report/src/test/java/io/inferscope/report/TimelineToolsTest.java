package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page offers around its timeline, in a real browser: search, measuring, the minimap and time by call stack. */
@Tag("chromium")
class TimelineToolsTest {
    private static final AnalyzedReport EXPLAINED = Recorded.explained(Recorded.program(51, 900));
    private static final long ZERO_NS = EXPLAINED.report().window().startNs();
    private static final long WINDOW_NS = EXPLAINED.report().window().durationNs();
    private static final String HTML = Recorded.page(EXPLAINED);
    private static final String CHOSEN =
            "inferscope.scene().names[inferscope.state().selected.lane.name[" + "inferscope.state().selected.i]]";

    @TempDir
    private Path folder;

    @Test
    void searchCountsWhatItFindsAndEnterGoesThere() throws Exception {
        Timeline timeline = EXPLAINED.analysis().timeline();
        int[] rows = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.name(row).equals("kernel_7"))
                .toArray();
        long ns = IntStream.of(rows)
                .mapToLong(row -> timeline.endNs(row) - timeline.startNs(row))
                .sum();
        long firstNs = IntStream.of(rows).mapToLong(timeline::startNs).min().orElseThrow();
        try (Browser.Page page = open()) {
            type(page, "#timeline-search", "KERNEL_7");
            page.await("document.querySelector('.tools [aria-live]').textContent !== ''");

            assertThat(page.evaluate("document.querySelector('.tools [aria-live]').textContent"))
                    .isEqualTo(rows.length + " events, " + Units.duration(ns));

            page.evaluate("document.querySelector('#timeline-search').focus()");
            page.press("Enter");
            assertThat(page.evaluate(CHOSEN)).isEqualTo("kernel_7");
            assertThat(page.number("inferscope.state().selected.lane.start[inferscope.state().selected.i]"))
                    .isEqualTo((double) (firstNs - ZERO_NS));
            page.press("Enter");
            assertThat(page.number("inferscope.state().selected.lane.start[inferscope.state().selected.i]"))
                    .isGreaterThan((double) (firstNs - ZERO_NS));
        }
    }

    @Test
    void aStretchIsMeasuredByTheMouse() throws Exception {
        try (Browser.Page page = open()) {
            page.evaluate("document.querySelector('canvas.lanes').scrollIntoView()");
            double fromX = page.number("inferscope.xOf(" + WINDOW_NS * 0.25 + ")");
            double toX = page.number("inferscope.xOf(" + WINDOW_NS * 0.75 + ")");
            drag(page, "canvas.lanes", fromX, toX, 60, 8);

            Map<String, Object> measured = JsonTree.object(page.evaluate("inferscope.state().measured"));
            long fromNs = Math.round(((Number) measured.get("from")).doubleValue());
            long toNs = Math.round(((Number) measured.get("to")).doubleValue());
            double pixelNs = WINDOW_NS / page.number("inferscope.state().plot");
            assertThat((double) fromNs).isBetween(WINDOW_NS * 0.25 - pixelNs, WINDOW_NS * 0.25 + pixelNs);
            assertThat((double) toNs).isBetween(WINDOW_NS * 0.75 - pixelNs, WINDOW_NS * 0.75 + pixelNs);
            Intervals compute = EXPLAINED.analysis().devices().get(0).exposed(LedgerClass.GPU_COMPUTE);
            double share = (double) compute.totalWithinNs(ZERO_NS + fromNs, ZERO_NS + toNs) / (toNs - fromNs);
            assertThat((String) page.evaluate("inferscope.state().said"))
                    .startsWith("Measured " + Units.duration(toNs - fromNs) + " from ")
                    .contains("GPU compute " + Units.percent(share));
        }
    }

    @Test
    void aStretchIsMeasuredByKeys() throws Exception {
        try (Browser.Page page = open()) {
            page.evaluate("document.querySelector('canvas.lanes').focus()");
            page.press("n");
            page.press("m");
            assertThat((Boolean) page.evaluate("(s => s.measured.from === s.selected.lane.start[s.selected.i]"
                            + " && s.measured.to === s.selected.lane.end[s.selected.i])(inferscope.state())"))
                    .isTrue();
            assertThat((String) page.evaluate("inferscope.state().said")).startsWith("Measured ");
            double to = page.number("inferscope.state().measured.to");
            double viewFrom = page.number("inferscope.state().from");
            page.evaluate("document.querySelector('canvas.lanes').dispatchEvent("
                    + "new KeyboardEvent('keydown', {key: 'ArrowRight', shiftKey: true}))");
            assertThat(page.number("inferscope.state().measured.to")).isGreaterThan(to);
            assertThat(page.number("inferscope.state().from")).isEqualTo(viewFrom);
            page.press("Escape");
            assertThat(page.evaluate("inferscope.state().measured")).isNull();
        }
    }

    @Test
    void theMinimapLeadsToAnyPlace() throws Exception {
        try (Browser.Page page = open()) {
            page.evaluate("document.querySelector('canvas.map').scrollIntoView()");
            page.evaluate("inferscope.show(0, " + WINDOW_NS / 8 + ")");
            double width = page.number("document.querySelector('canvas.map').clientWidth");
            drag(page, "canvas.map", width / 4, width / 2, 10, 0);

            assertThat(page.number("(inferscope.state().from + inferscope.state().to) / 2"))
                    .isBetween(WINDOW_NS * 0.498, WINDOW_NS * 0.502);
            assertThat(page.number("inferscope.state().to - inferscope.state().from"))
                    .isEqualTo((double) (WINDOW_NS / 8));
        }
    }

    /** The trees are partitions: of the device's idle time, and of the window of each thread. */
    @Test
    void callStacksHoldAllOfTheTime() throws Exception {
        long idleNs = EXPLAINED
                .analysis()
                .devices()
                .get(0)
                .busy()
                .complementWithin(ZERO_NS, ZERO_NS + WINDOW_NS)
                .totalNs();
        try (Browser.Page page = open()) {
            assertThat((List<?>)
                            page.evaluate("inferscope.scene().trees.map(t => t.self.reduce((sum, ns) => sum + ns, 0))"))
                    .extracting(ns -> ((Number) ns).longValue())
                    .containsExactly(idleNs, WINDOW_NS);
            assertThat((String) page.evaluate("document.querySelector('.tree h3').textContent"))
                    .startsWith("idle time of device 0")
                    .endsWith(", " + Units.duration(idleNs));
        }
    }

    @Test
    void callStacksOpenSearchAndTurnRound() throws Exception {
        try (Browser.Page page = open()) {
            String tree = "document.querySelector('.tree')";
            String said = tree + ".querySelector('.said').textContent";
            page.evaluate(tree + ".querySelector('details').open = true");
            page.await(tree + ".querySelectorAll('tbody tr').length > 3");
            String most = (String) page.evaluate("(r => r.cells[0].textContent + ': ' + r.cells[2].textContent)(" + tree
                    + ".querySelector('tbody tr'))");

            page.evaluate(tree + ".querySelector('button[aria-pressed]').click()");
            page.evaluate(tree + ".querySelector('canvas').focus()");
            page.press("ArrowDown");
            assertThat((String) page.evaluate(said)).as("from what took most").startsWith(most + ",");

            page.press("Enter");
            page.evaluate(tree + ".querySelector('canvas').scrollIntoView()");
            double width = page.number(tree + ".querySelector('canvas').clientWidth");
            drag(page, ".tree canvas", width - 5, width - 5, 17 + 8, 0);
            assertThat((String) page.evaluate(said))
                    .as("it fills the picture now")
                    .startsWith(most + ",");

            page.evaluate(tree + ".querySelector('canvas').focus()");
            page.press("Escape");
            assertThat((String) page.evaluate(said)).startsWith("idle time of device 0");

            type(page, ".tree input", "operator_53");
            String sum = (String) page.evaluate("(t => { let ns = 0, inside = 99; for (let i = 0; i < t.n; i++) {"
                    + " if (t.depth[i] <= inside) inside = t.names[t.name[i]].includes('operator_53') ? t.depth[i] : 99;"
                    + " if (inside < 99) ns += t.self[i]; } return String(ns); })(inferscope.scene().trees[0])");
            assertThat(Double.parseDouble(sum)).isPositive();
            assertThat((String) page.evaluate(said))
                    .startsWith("Matches hold " + Units.duration((long) Double.parseDouble(sum)) + ",");
        }
    }

    private static void type(Browser.Page page, String field, String text) throws Exception {
        page.evaluate("(f => { f.value = " + Browser.quoted(text) + "; f.dispatchEvent(new Event('input')); })("
                + "document.querySelector('" + field + "'))");
    }

    /**
     * Presses the mouse on an element, moves it and lets it go.
     *
     * @param modifiers 8 for Shift
     */
    private static void drag(Browser.Page page, String element, double fromX, double toX, double y, int modifiers)
            throws Exception {
        List<?> at = (List<?>) page.evaluate(
                "(r => [r.left, r.top])(document.querySelector('" + element + "').getBoundingClientRect())");
        double left = ((Number) at.get(0)).doubleValue();
        double top = ((Number) at.get(1)).doubleValue() + y;
        mouse(page, "mousePressed", left + fromX, top, modifiers);
        if (toX != fromX) {
            mouse(page, "mouseMoved", left + (fromX + toX) / 2, top, modifiers);
            mouse(page, "mouseMoved", left + toX, top, modifiers);
        }
        mouse(page, "mouseReleased", left + toX, top, modifiers);
    }

    private static void mouse(Browser.Page page, String type, double x, double y, int modifiers) throws Exception {
        String button = "\"button\":\"left\",\"buttons\":" + (type.equals("mouseReleased") ? 0 : 1);
        page.call(
                "Input.dispatchMouseEvent",
                "\"type\":\"" + type + "\",\"x\":" + x + ",\"y\":" + y + "," + button
                        + ",\"clickCount\":1,\"modifiers\":" + modifiers);
    }

    private Browser.Page open() throws Exception {
        Path file = Recorded.write(folder, HTML);
        return Browser.shared().page().like(1_300, 900).open(file.toUri().toString());
    }
}
