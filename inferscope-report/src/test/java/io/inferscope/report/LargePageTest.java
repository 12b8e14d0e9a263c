package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.timeline.fixture.QuietMachine;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages about large recordings: their size, and how fast they draw. */
class LargePageTest {
    private static final int FRAMES = 300;
    private static final int SWEEPS = 3;

    /** Zooms in and out, from all of the window to a millionth of it. */
    private static final String VIEW = "const s = inferscope.scene().duration, view = i => {"
            + "  const half = s / 2 * Math.pow(0.912, i < FRAMES / 2 ? i : FRAMES - i), at = s * 0.4 + s * 0.2 * i / FRAMES;"
            + "  inferscope.show(at - half, at + half); };";

    @TempDir
    private Path folder;

    @Test
    void aHundredThousandEventsTakeLessThanSevenHundredKilobytes() {
        String page = Recorded.page(Recorded.explained(Recorded.program(31, 45_000)));

        assertThat(events(page)).isBetween(90_000L, 130_000L);
        assertThat(page.getBytes(StandardCharsets.UTF_8).length).isLessThan(700_000);
    }

    /** Returns how many events the page says that it draws: rows, and what is drawn from them. */
    private static long events(String page) {
        Matcher said = Pattern.compile("([\\d,]+) events, times").matcher(page);
        assertThat(said.find()).isTrue();
        return Long.parseLong(said.group(1).replace(",", ""));
    }

    @Test
    @Tag("chromium")
    @Tag("slow")
    void aMillionEventsDrawAtOnce() throws Exception {
        AnalyzedReport explained = Recorded.explained(Recorded.program(32, 460_000));
        String html = Recorded.page(explained);
        assertThat(events(html)).isGreaterThan(1_000_000);
        assertThat(html.getBytes(StandardCharsets.UTF_8).length).isLessThan(8_000_000);
        Path file = Recorded.write(folder, html);
        QuietMachine.judge(attempt -> {
            try (Browser.Page page = Browser.shared().page()) {
                page.like(1_400, 900).open(file.toUri().toString());
                double paintMs = page.number("performance.getEntriesByName('inferscope-drawn')[0].startTime");
                double heapMb = page.number("performance.memory.usedJSHeapSize / 1e6");
                double p95Ms = median(page, drawn());
                double framesPerSecond = median(page, shown());
                System.out.printf(
                        "1e6 events: %.1f MB, drawn after %.0f ms, frame p95 %.1f ms, %.0f frames/s, heap %.0f MB%n",
                        html.length() / 1e6, paintMs, p95Ms, framesPerSecond, heapMb);

                assertThat(heapMb).isLessThan(150);
                assertThat(p95Ms).isLessThan(16);
                assertThat(framesPerSecond).isGreaterThan(55);
                assertThat(paintMs).isLessThan(1_000);
            }
        });
    }

    private static double median(Browser.Page page, String measurement) throws Exception {
        double[] all = new double[SWEEPS];
        for (int i = 0; i < SWEEPS; i++) {
            all[i] = page.number(measurement);
        }
        Arrays.sort(all);
        return all[SWEEPS / 2];
    }

    /** Returns the 95th percentile of what drawing a frame takes, in ms. */
    private static String drawn() {
        return sweep("const times = []; for (let i = 0; i < FRAMES; i++) { view(i);"
                + "  const before = performance.now(); inferscope.draw(); times.push(performance.now() - before); }"
                + "times.sort((a, b) => a - b); return times[Math.floor(times.length * 0.95)];");
    }

    /** Returns how many frames of the sweep a second the browser shows. */
    private static String shown() {
        return sweep("return new Promise(done => { const began = performance.now(); let i = 0; const next = () => {"
                + "  if (i === FRAMES) { done(1000 * FRAMES / (performance.now() - began)); return; }"
                + "  view(i++); requestAnimationFrame(next); }; requestAnimationFrame(next); });");
    }

    private static String sweep(String steps) {
        return "(() => { " + (VIEW + steps).replace("FRAMES", Integer.toString(FRAMES)) + " })()";
    }
}
