package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.net.httpserver.HttpServer;
import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Diff;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.html.ServedPage;
import io.inferscope.report.scene.Scene;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The timeline of the HTML report in a real browser. */
@Tag("chromium")
class TimelineInChromiumTest {
    private static final Scene.Limits FEW = new Scene.Limits(600, 5_600_000);

    /** The functions of the first tree of call stacks, as its table names them when it is opened. */
    private static final String FUNCTIONS =
            "new Promise(done => { const list = document.querySelector('#stacks-view details');"
                    + " const names = () => [...list.querySelectorAll('tbody th')].map(h => h.textContent).join();"
                    + " const read = () => names() ? done(names()) : setTimeout(read, 20);"
                    + " list.querySelector('tbody').textContent = ''; list.open = false;"
                    + " setTimeout(() => { list.open = true; read(); }, 50); })";

    @TempDir
    private Path folder;

    /** What any pixel shows is a difference of two sums: it equals the interval algebra on any window. */
    @Test
    void coverageIsThatOfTheIntervals() throws Exception {
        AnalyzedReport explained = Recorded.explained(Recorded.program(1, 3_000));
        try (Browser.Page page = open(Recorded.page(explained))) {
            long windowNs = explained.report().window().durationNs();
            Random random = new Random(2);
            List<long[]> windows = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                long from = random.nextLong(windowNs);
                windows.add(new long[] {from, from + random.nextLong(windowNs - from) + 1});
            }
            assertCoverage(page, explained, windows);
        }
    }

    /** The colour of a pixel tells the share that kernels have of its stretch, to one level of 256. */
    @Test
    void thePixelsOfADeviceShowItsCoverage() throws Exception {
        AnalyzedReport explained = Recorded.explained(Recorded.program(2, 3_000));
        try (Browser.Page page = open(Recorded.page(explained))) {
            int columns = (int) page.number("inferscope.state().plot");
            List<?> reds = (List<?>) page.evaluate("(c => { const left = inferscope.state().gutter; let y = 23;"
                    + " while (inferscope.hit(left + 1, y)?.row.track.label !== 'device 0') y++;"
                    + " return [...c.getContext('2d').getImageData(left, y + 3, " + columns + ", 1).data]"
                    + ".filter((value, i) => i % 4 === 0); })(document.querySelector('canvas.lanes'))");
            Intervals kernels = explained.analysis().devices().get(0).exposed(LedgerClass.GPU_COMPUTE);
            Intervals copies = explained.analysis().devices().get(0).exposed(LedgerClass.COPY_H2D);
            long zeroNs = explained.report().window().startNs();
            double stepNs = explained.report().window().durationNs() / (double) columns;
            List<double[]> seen = new ArrayList<>();
            for (int x = 0; x < columns; x++) {
                long from = zeroNs + Math.round(x * stepNs);
                long to = zeroNs + Math.round((x + 1) * stepNs);
                long ns = kernels.totalWithinNs(from, to);
                if (ns > 0 && copies.totalWithinNs(from, to) == 0) {
                    seen.add(new double[] {ns / stepNs, ((Number) reds.get(x)).doubleValue()});
                }
            }
            seen.sort(Comparator.comparingDouble(one -> one[0]));
            double[] least = seen.get(0);
            double[] most = seen.get(seen.size() - 1);
            double slope = (most[1] - least[1]) / (most[0] - least[0]);

            assertThat(seen).hasSizeGreaterThan(columns / 2);
            assertThat(Math.abs(most[1] - least[1])).as("levels between them").isGreaterThan(20);
            assertThat(seen)
                    .allSatisfy(one ->
                            assertThat(one[1]).isCloseTo(least[1] + slope * (one[0] - least[0]), within(2.5)));
        }
    }

    /** Where events are left out, sums in equal bins stand for them: coverage stays exact at the bins' edges. */
    @Test
    void coverageOfALargeRecordingIsExactAtTheEdgesOfItsBins() throws Exception {
        AnalyzedReport explained = Recorded.explained(Recorded.program(3, 3_000));
        try (Browser.Page page = open(Recorded.page(explained, FEW))) {
            long windowNs = explained.report().window().durationNs();
            Random random = new Random(4);
            List<long[]> windows = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                int from = random.nextInt(8_192);
                int to = from + 1 + random.nextInt(8_192 - from);
                windows.add(new long[] {edgeNs(from, windowNs), edgeNs(to, windowNs)});
            }
            assertCoverage(page, explained, windows);
            assertThat((String) page.evaluate("document.querySelector('#timeline p').textContent"))
                    .contains("more are left out");
            assertThat(page.number(
                            "inferscope.scene().tracks.reduce((n, t) => n + t.lanes.reduce((m, l) => m + l.n, 0), 0)"))
                    .as("600 rows, and what devices and causes of idleness are drawn from them")
                    .isBetween(1.0, 1_800.0);
        }
    }

    /** What is left out may have filled a stretch between two events that are drawn. */
    @Test
    void gapsOfALargeRecordingAreThoseInWhichNothingLies() throws Exception {
        AnalyzedReport explained = Recorded.explained(Recorded.program(3, 3_000));
        try (Browser.Page page = open(Recorded.page(explained, FEW))) {
            Intervals busy = explained.analysis().devices().get(0).busy();
            long zeroNs = explained.report().window().startNs();
            List<?> gaps = (List<?>) page.evaluate("inferscope.show(0, 1000), [...Array(600)].map(() => {"
                    + "document.querySelector('#timeline canvas.lanes').dispatchEvent(new KeyboardEvent('keydown', {key: ']'}));"
                    + "const gap = inferscope.state().marked; return gap ? Math.round(gap.from) + ' ' + Math.round(gap.to) : '';"
                    + "}).filter((gap, i, all) => gap && all.indexOf(gap) === i)");
            assertThat(gaps).hasSizeGreaterThan(3).allSatisfy(gap -> {
                String[] ends = String.valueOf(gap).split(" ", -1);
                assertThat(busy.totalWithinNs(zeroNs + Long.parseLong(ends[0]), zeroNs + Long.parseLong(ends[1])))
                        .isZero();
            });
        }
    }

    /** What a served page holds as sums alone, it asks for as soon as it shows it. */
    @Test
    void aServedPageReadsTheEventsOfWhatItShows() throws Exception {
        AnalyzedReport explained = Recorded.explained(Recorded.program(3, 3_000));
        long windowNs = explained.report().window().durationNs();
        ServedPage served = new ServedPage(explained, FEW);
        StringBuilder html = new StringBuilder();
        served.write(html);
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String query = exchange.getRequestURI().getQuery();
            byte[] body = html.toString().getBytes(StandardCharsets.UTF_8);
            if (query != null) {
                asked.add(query);
                String[] ends = query.replaceAll("[a-z=]", "").split("&", -1);
                body = served.range(Long.parseLong(ends[0]), Long.parseLong(ends[1]));
            }
            exchange.getResponseHeaders().set("Content-Type", query == null ? "text/html" : "application/octet-stream");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try (Browser.Page page = Browser.shared().page()) {
            page.open("http://127.0.0.1:" + server.getAddress().getPort() + "/");
            long from = windowNs * 3 / 4;
            long to = from + windowNs / 50;
            String drawn =
                    "inferscope.scene().tracks.find(t => t.label === 'stream 20' && t.lanes[0].lists.some(l => l.c === "
                            + LedgerClass.GPU_COMPUTE.ordinal() + ")).lanes[0]";
            String inView = "(lane => { let n = 0; for (let i = 0; i < lane.n; i++) if (lane.end[i] > " + from
                    + " && lane.start[i] < " + to + ") n++; return n; })(" + drawn + ")";
            assertThat(page.number(inView)).isZero();
            String functions = (String) page.evaluate(FUNCTIONS);
            assertThat(functions).contains("aten::operator_");
            page.evaluate("document.querySelector('canvas.lanes').focus()");
            page.press("n");
            String selected = "(s => s && s.lane.start[s.i] + ' ' + s.lane.end[s.i])(inferscope.state().selected)";
            Object event = page.evaluate(selected);

            page.evaluate("new Promise(done => { const old = inferscope.scene(); inferscope.show(" + from + ", " + to
                    + "); const wait = () => inferscope.scene() === old ? setTimeout(wait, 20) : done(1); wait(); })");

            assertThat(page.number(inView)).isEqualTo((double) operations(explained, from, to));
            assertThat(page.number("inferscope.state().from")).isEqualTo((double) from);
            assertThat(asked).hasSize(1);
            assertThat(page.evaluate(FUNCTIONS)).isEqualTo(functions);
            assertThat(page.evaluate(selected)).isEqualTo(event).isNotNull();
            assertThat(page.messages()).isEmpty();

            server.stop(0);
            page.evaluate("inferscope.show(" + windowNs * 2 / 5 + ", " + windowNs * 21 / 50 + ")");
            page.await("inferscope.state().said.includes('cannot be read')");
        } finally {
            server.stop(0);
        }
    }

    private static long operations(AnalyzedReport explained, long fromNs, long toNs) {
        Timeline timeline = explained.analysis().timeline();
        long zeroNs = explained.report().window().startNs();
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.tracks().get(timeline.track(row)).kind() == TrackKind.STREAM
                        && timeline.tracks().get(timeline.track(row)).key().equals("20")
                        && timeline.endNs(row) > zeroNs + fromNs
                        && timeline.startNs(row) < zeroNs + toNs)
                .count();
    }

    @Test
    void twoRecordingsAreDrawnOnOneScaleAndMoveTogether() throws Exception {
        Timeline one = Recorded.program(5, 600);
        Timeline other = Recorded.program(6, 1_200);
        try (Browser.Page page = open(compared(one, other))) {
            page.evaluate("Promise.all(timelines.map(one => one.ready))");
            double longest = page.number("Math.max(...timelines.map(one => one.scene().duration))");
            assertThat(longest).isEqualTo((double)
                    Recorded.explained(other).report().window().durationNs());
            assertThat(page.evaluate("timelines.map(one => one.state().from + ' ' + one.state().to).join()"))
                    .isEqualTo("0 " + (long) longest + ",0 " + (long) longest);

            page.evaluate("timelines[1].show(1000, 51000)");
            assertThat(page.evaluate("timelines.map(one => one.state().from + ' ' + one.state().to).join()"))
                    .isEqualTo("1000 51000,1000 51000");
        }
    }

    /** Before, each step decodes for 600 us; after, for 900 us, in another line, and it samples for 100 us. */
    @Test
    void whatChangedIsOneTreePerStep() throws Exception {
        try (Browser.Page page = open(compared(steps(600, 31, 0), steps(900, 40, 100)))) {
            page.evaluate("Promise.all(timelines.map(one => one.ready))");
            page.await("document.querySelectorAll('#changes .tree').length > 0");
            assertThat((String) page.evaluate("document.querySelector('#changes h3').textContent"))
                    .isEqualTo("time of thread 1 in the steady state, by call stack, time per step");
            assertThat(
                            page.evaluate(
                                    "[...document.querySelectorAll('#changes .legend li')].map(li => li.textContent.trim()).join('; ')"))
                    .isEqualTo(
                            "\u25b2 grew to more than twice; \u25b2 grew; = within 10%; \u25bc shrank; \u25bc shrank to less than half");

            page.evaluate("document.querySelector('#changes details').open = true");
            page.await("document.querySelectorAll('#changes tbody tr').length > 2");
            assertThat(
                            (String)
                                    page.evaluate(
                                            "[...document.querySelectorAll('#changes tbody tr')].map(row => [...row.cells].map(cell => cell.textContent).join(' | ')).join('; ')"))
                    .contains("app.py: decode | Python | 600 us | 900 us | +300 us")
                    .contains("app.py: sample | Python | 0 ns | 100 us | +100 us");

            page.evaluate("document.querySelector('#changes canvas').focus()");
            page.press("ArrowDown");
            page.press("ArrowDown");
            assertThat((String) page.evaluate("document.querySelector('#changes .said').textContent"))
                    .startsWith("app.py: decode: \u25b2 600 us \u2192 900 us (+300 us)");
            assertThat(page.messages()).isEmpty();
        }
    }

    @Test
    void aLegendNamesTheColoursOfCallStacks() throws Exception {
        try (Browser.Page page = open(Recorded.page(Recorded.explained(steps(600, 31, 0))))) {
            page.evaluate("Promise.all(timelines.map(one => one.ready))");
            assertThat((String) page.evaluate("document.querySelector('#stacks .legend').textContent"))
                    .contains("Python");
        }
    }

    private static Timeline steps(long decodeUs, int line, long sampleUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 40; step++) {
            double at = 2_000 * step;
            fixture.scope("1", at, at + 2_000, "ProfilerStep#" + step)
                    .python("1", at, at + decodeUs, "app.py(" + line + "): decode");
            if (sampleUs > 0) {
                fixture.python("1", at + 1_000, at + 1_000 + sampleUs, "app.py(90): sample");
            }
        }
        return fixture.build();
    }

    private static String compared(Timeline one, Timeline other) throws Exception {
        AnalyzedReport before = Recorded.explained(one);
        AnalyzedReport after = Recorded.explained(other);
        Comparison comparison =
                Diff.of(Side.of(before.analysis(), before.report()), Side.of(after.analysis(), after.report()));
        StringBuilder html = new StringBuilder();
        Renderers.comparison("html", ConsoleOptions.FILE, List.of(before, after))
                .render(comparison, html);
        return html.toString();
    }

    private static long edgeNs(int bin, long windowNs) {
        return (long) Math.floor((double) windowNs * bin / 8_192);
    }

    private static void assertCoverage(Browser.Page page, AnalyzedReport explained, List<long[]> windows)
            throws Exception {
        long zeroNs = explained.report().window().startNs();
        String asked = windows.stream().map(w -> "[" + w[0] + "," + w[1] + "]").collect(Collectors.joining(","));
        for (LedgerClass ledgerClass : List.of(LedgerClass.GPU_COMPUTE, LedgerClass.COPY_H2D)) {
            Intervals busy = explained.analysis().devices().get(0).exposed(ledgerClass);
            List<?> seen = coverage(page, "device 0", ledgerClass, asked);
            for (int i = 0; i < windows.size(); i++) {
                long[] window = windows.get(i);
                assertThat(((Number) seen.get(i)).doubleValue())
                        .isEqualTo((double) busy.totalWithinNs(zeroNs + window[0], zeroNs + window[1]));
            }
        }
        List<?> kernels = coverage(page, "stream 20", LedgerClass.GPU_COMPUTE, asked);
        for (int i = 0; i < windows.size(); i++) {
            assertThat(((Number) kernels.get(i)).doubleValue()).isEqualTo((double)
                    kernelNs(explained.analysis().timeline(), zeroNs + windows.get(i)[0], zeroNs + windows.get(i)[1]));
        }
    }

    private static List<?> coverage(Browser.Page page, String track, LedgerClass ledgerClass, String windows)
            throws Exception {
        return (List<?>)
                page.evaluate("[" + windows + "].map(w => inferscope.coverage(inferscope.scene().tracks.findIndex("
                        + "t => t.label === '" + track + "'), 0, " + ledgerClass.ordinal() + ", w[0], w[1]))");
    }

    private static long kernelNs(Timeline timeline, long fromNs, long toNs) {
        long sum = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            boolean there = timeline.kind(row) == RowKind.KERNEL
                    && timeline.tracks().get(timeline.track(row)).kind() == TrackKind.STREAM
                    && timeline.tracks().get(timeline.track(row)).key().equals("20");
            if (there) {
                sum += Math.max(0, Math.min(toNs, timeline.endNs(row)) - Math.max(fromNs, timeline.startNs(row)));
            }
        }
        return sum;
    }

    @Test
    void evidenceLeadsToItsPlaceAndBackReturns() throws Exception {
        try (Browser.Page page = open(Recorded.page(Recorded.explained(Recorded.program(5, 3_000))))) {
            String link = "document.querySelector('article a[href^=\"#t=\"]')";
            String href = (String) page.evaluate(link + ".getAttribute('href')");
            double from = Double.parseDouble(href.replaceFirst("#t=(\\d+)-.*", "$1"));
            double to = Double.parseDouble(href.replaceFirst("#t=\\d+-(\\d+).*", "$1"));
            double whole = page.number("inferscope.state().to - inferscope.state().from");

            page.evaluate(link + ".click()");
            page.await("inferscope.state().marked !== null");

            assertThat(page.number("inferscope.state().marked.from")).isEqualTo(from);
            assertThat(page.number("inferscope.state().marked.to")).isEqualTo(to);
            String state = "inferscope.state()";
            String pixel = "(t => " + state + ".gutter + (t - " + state + ".from) / (" + state + ".to - " + state
                    + ".from) * " + state + ".plot)";
            assertThat(Math.abs(page.number("inferscope.xOf(" + from + ") - " + pixel + "(" + from + ")")))
                    .isLessThan(1);
            assertThat(page.number("inferscope.xOf(" + to + ") - inferscope.xOf(" + from + ")"))
                    .as("the place fills a good part of the picture")
                    .isGreaterThan(100);
            assertThat((Boolean) page.evaluate("document.activeElement.className === 'lanes'"))
                    .isTrue();
            page.evaluate("history.back()");
            page.await("inferscope.state().to - inferscope.state().from === " + whole);
        }
    }

    @Test
    void badLinksAreIgnored() throws Exception {
        List<String> links = List.of(
                "#t=9-1",
                "#t=-5-7",
                "#t=abc",
                "#t=1e9-2e9",
                "#t=99999999999999999999-1",
                "#f=F999",
                "#f=</script>",
                "#v=0x1-2",
                "#nothing",
                "#t=1-2&track=99999",
                "#%",
                "#q=");
        try (Browser.Page page = open(Recorded.page(Recorded.explained(Recorded.program(6, 500))))) {
            for (String link : links) {
                page.evaluate("location.hash = " + Browser.quoted(link));
                page.evaluate("inferscope.draw()");

                assertThat(page.messages()).as(link).isEmpty();
            }
        }
    }

    @Test
    void nothingIsAskedForAndNothingIsSaid() throws Exception {
        try (Browser.Page page = open(Recorded.page(Recorded.explained(Recorded.program(7, 500))))) {
            assertThat(page.requests()).hasSize(1).first().asString().contains("page.html");
            assertThat(page.messages()).isEmpty();
            assertThat((Boolean) page.evaluate("document.getElementById('timeline').hidden"))
                    .isFalse();
        }
    }

    @Test
    void hostileNamesAreText() throws Exception {
        List<String> corpus = HostileText.corpus();
        Timeline timeline = Recorded.program(8, 2_000, i -> i == 0 ? corpus.get(0) : corpus.get(i % corpus.size()));
        try (Browser.Page page = open(Recorded.page(Recorded.explained(timeline)))) {
            String elements =
                    "document.querySelectorAll('img, script, iframe, object, [onerror], [onmouseover], [style*=url]').length";
            double before = page.number(elements);
            page.evaluate("document.querySelector('canvas.lanes').focus()");
            for (String key : List.of("j", "n", "n", "n", "j", "n", "?", "]", "f")) {
                page.press(key);
            }
            page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true");
            page.evaluate(
                    "for (const lane of inferscope.scene().tracks.flatMap(t => t.lanes)) inferscope.hit(300, 60)");
            page.await("document.querySelectorAll('#timeline table tbody tr').length > 0");

            assertThat(page.number(elements)).isEqualTo(before);
            assertThat((String) page.evaluate("document.title")).startsWith("InferScope: ");
            assertThat((String) page.evaluate("document.body.textContent"))
                    .contains("<script>document.title='canary'</script>", "</style><img src=x");
            assertThat(page.messages()).isEmpty();
        }
    }

    @Test
    void theSavedPageOpensAgain() throws Exception {
        String saved;
        try (Browser.Page page = open(Recorded.page(Recorded.explained(Recorded.program(9, 500))))) {
            page.evaluate("document.querySelector('canvas.lanes').focus()");
            page.press("n");
            saved = "<!DOCTYPE html>" + page.evaluate("document.documentElement.outerHTML");
        }
        try (Browser.Page page = open(saved)) {
            assertThat(page.number("document.querySelectorAll('canvas.lanes').length"))
                    .isEqualTo(1);
            assertThat(page.number("inferscope.state().to")).isGreaterThan(0);
            assertThat(page.messages()).isEmpty();
        }
    }

    @Test
    void withoutScriptsTheReportIsComplete() throws Exception {
        AnalyzedReport explained = Recorded.explained(Recorded.program(10, 500));
        Path file = Recorded.write(folder, Recorded.page(explained));
        try (Browser.Page page = Browser.shared().page()) {
            page.call("Emulation.setScriptExecutionDisabled", "\"value\":true");
            page.open(file.toUri().toString());
            String text = (String) page.evaluate("document.querySelector('main').innerText");

            assertThat(text)
                    .contains(
                            "Verdict:",
                            "Ledger of",
                            "Findings",
                            explained.report().findings().get(0).claim())
                    .doesNotContain("Timeline\n", "call stack");
        }
    }

    @Test
    void theSameRecordingGivesTheSamePage() {
        Timeline timeline = Recorded.program(11, 500);

        assertThat(Recorded.page(Recorded.explained(timeline)))
                .isEqualTo(Recorded.page(Recorded.explained(Recorded.program(11, 500))));
    }

    @Test
    void keysAloneReachAFindingItsPlaceAndTheWayBack() throws Exception {
        try (Browser.Page page = open(Recorded.page(Recorded.explained(Recorded.program(12, 1_000))))) {
            page.press("Tab");
            assertThat((String) page.evaluate("document.activeElement.className"))
                    .isEqualTo("skip");
            page.press("Enter");
            for (int i = 0; i < 60 && !tabbedTo(page, "#t="); i++) {
                page.press("Tab");
            }
            assertThat((String) page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
                    .isEqualTo("solid");
            page.press("Enter");
            page.await("document.activeElement.className === 'lanes' && inferscope.state().marked !== null");
            double from = page.number("inferscope.state().from");
            page.press("ArrowRight");
            page.await("inferscope.state().from > " + from);
            page.press("n");
            page.await("inferscope.state().said.includes(' on ')");
            page.evaluate("history.back()");
            page.await("inferscope.state().from === 0");
        }
    }

    @Test
    void headingsSortTablesByValue() throws Exception {
        try (Browser.Page page = open(Recorded.page(Recorded.explained(Recorded.program(13, 1_000))))) {
            String head = "[...document.querySelectorAll('[aria-labelledby=tables] th button')].find("
                    + "b => b.textContent === 'Count').closest('th')";
            page.evaluate(head + ".querySelector('button').click()");
            String sorted = "(h => [h.getAttribute('aria-sort'), ...[...h.closest('table').tBodies[0].rows]"
                    + ".map(r => parseFloat(r.cells[h.cellIndex].textContent.replace(/,/g, '')))])(" + head + ")";
            List<?> counts = (List<?>) page.evaluate(sorted);
            assertThat(counts.get(0)).isEqualTo("descending");
            List<Double> numbers = counts.subList(1, counts.size()).stream()
                    .map(count -> ((Number) count).doubleValue())
                    .toList();
            assertThat(numbers).hasSizeGreaterThan(3).isSortedAccordingTo(Comparator.reverseOrder());
        }
    }

    @Test
    void aLongTableShowsTheRowsThatAreAskedFor() throws Exception {
        try (Browser.Page page = open(Recorded.page(Recorded.explained(Recorded.program(13, 1_000))))) {
            String shown = "[...document.querySelector('input.filter').nextElementSibling.querySelectorAll('tbody tr')]"
                    + ".filter(row => !row.hidden).map(row => row.textContent)";
            page.evaluate("document.querySelector('input.filter').closest('details').open = true");
            int all = ((List<?>) page.evaluate(shown)).size();
            String first = (String) page.evaluate("document.querySelector('input.filter').nextElementSibling"
                    + ".querySelector('tbody th').textContent");
            page.evaluate("(f => { f.value = " + Browser.quoted(first.toUpperCase(Locale.ROOT))
                    + "; f.dispatchEvent(new Event('input')); })(document.querySelector('input.filter'))");

            assertThat((List<?>) page.evaluate(shown))
                    .hasSizeBetween(1, all - 1)
                    .allSatisfy(row -> assertThat((String) row).contains(first));
        }
    }

    private static boolean tabbedTo(Browser.Page page, String href) throws Exception {
        return Boolean.TRUE.equals(
                page.evaluate("(document.activeElement.getAttribute('href') || '').startsWith('" + href + "')"));
    }

    private Browser.Page open(String html) throws Exception {
        Path file = Recorded.write(Files.createTempDirectory(folder, "page"), html);
        return Browser.shared().page().like(1_300, 900).open(file.toUri().toString());
    }
}
