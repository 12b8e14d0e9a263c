package io.inferscope.analyzer.metrics;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MetricsTest {
    /** Head 2, span 20 (16 busy, of that 4 an exposed copy), tail 3. */
    private static final FigureSource FACTS = facts(TimelineFixture.drawing("""
                    us           0         10        20
                    thread main  LL..L...L...............Y
                    stream 7     ..HHHHKKKKKK....KKKKKK...
                    links in order
                    """).build());

    /** A device with copies, a thread with states, steps, requests, and counters of the machine. */
    private static final Timeline RICH = rich();

    private static Timeline rich() {
        TimelineFixture fixture = TimelineFixture.blank()
                .host(RowKind.REQUEST, "server", 0, 500, "POST /generate")
                .h2d("7", 0, 10, "Memcpy HtoD (Pageable -> Device)")
                .bytes(4096)
                .counter("host.swap_bytes", 0, 10)
                .counter("host.swap_bytes", 9, 30);
        for (int i = 0; i < 8; i++) {
            fixture.scope("main", 100 * i, 100 * i + 100, "ProfilerStep#" + i)
                    .kernel("7", 100 * i + 20, 100 * i + 80, "gemm")
                    .launchedBy("main", 100 * i + 5, 100 * i + 10);
        }
        return fixture.build();
    }

    static List<String> names() {
        return Metrics.names();
    }

    @ParameterizedTest
    @CsvSource({
        "judged.duration-ns, 20000",
        "span.duration-ns, 20000",
        "window.duration-ns, 25000",
        "head.duration-ns, 2000",
        "tail.duration-ns, 3000",
        "thread.duration-ns, 25000",
        "gpu.compute.share, 0.6",
        "gpu.compute.ns, 12000",
        "window.gpu.compute.share, 0.48",
        "copy.h2d.share, 0.2",
        "busy.share, 0.8",
        "idle.ns, 4000",
        "h2d-copy.ns, 4000",
        "gpu.ns, 12000",
        "copy.share, 0.2",
        "copy.d2h.share, 0",
        "verdict.cpu, 1",
        "verdict.gpu, 0",
        "verdict.margin.share, 0.12",
        "device.busy.share, 0.8",
        "device.span-idle-ns, 4000",
        "device.window-idle-ns, 9000",
        "device.gaps, 1",
        "device.longest-gap-ns, 4000",
        "device.operations, 3",
        "devices.count, 1",
        "launch.without-launch.share, 0",
        "launch.least-latency-ns, 2000",
        "kernels.count, 2",
        "kernels.mean-ns, 6000",
        "kernels.largest.share, 1",
        "copies.h2d.count, 1",
        "copies.h2d.ns, 4000",
        "copies.d2h.count, 0",
        "threads.count, 1"
    })
    void figuresAreThoseOfTheDrawing(String name, double value) {
        assertThat(Metrics.named(name).orElseThrow().read(FACTS)).hasValue(value);
    }

    @ParameterizedTest
    @CsvSource({
        "counter.vllm:num_preemptions_total.growth, 7, COUNT",
        "counter.vllm:num_preemptions_total.most, 9, COUNT",
        "counter.host.swap_bytes.first, 10, BYTES",
        "counter.host.swap_bytes.last, 30, BYTES",
        "counter.host.swap_bytes.least, 10, BYTES"
    })
    void anyCounterCanBeAskedFor(String name, double value, MeasureUnit unit) {
        FigureSource facts = facts(TimelineFixture.blank()
                .scope("main", 0, 10, "work")
                .counter("vllm:num_preemptions_total{model=\"a\"}", 0, 2)
                .counter("vllm:num_preemptions_total{model=\"a\"}", 9, 9)
                .counter("host.swap_bytes", 0, 10)
                .counter("host.swap_bytes", 9, 30)
                .build());

        Metric metric = Metrics.named(name).orElseThrow();

        assertThat(metric.read(facts)).hasValue(value);
        assertThat(metric.unit()).isEqualTo(unit);
        assertThat(metric.read(FACTS)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"counter.", "counter.x", "counter..most", "counter.x.mean", "counters.x.most"})
    void whatNamesNoCounterIsNoMetric(String name) {
        assertThat(Metrics.named(name)).isEmpty();
    }

    @Test
    void stepsAreThoseOfTheSortWithMostTime() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 8; i++) {
            fixture.scope("main", 100 * i, 100 * i + 100, "ProfilerStep#" + i)
                    .kernel("7", 100 * i + 20, 100 * i + 80, "gemm")
                    .launchedBy("main", 100 * i + 5, 100 * i + 10);
        }
        FigureSource facts = facts(fixture.build());

        assertThat(Metrics.named("steps.median-ns").orElseThrow().read(facts)).hasValue((double) us(100));
        assertThat(Metrics.named("steps.median-busy-ns").orElseThrow().read(facts))
                .hasValue((double) us(60));
        assertThat(Metrics.named("steps.median-idle-ns").orElseThrow().read(facts))
                .hasValue((double) us(40));
        assertThat(Metrics.named("steps.count").orElseThrow().read(FACTS)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"threads.on-cpu-ns", "requests.count", "requests.p95-first-ns"})
    void whatIsNotRecordedHasNoValue(String name) {
        assertThat(Metrics.named(name).orElseThrow().read(FACTS)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyMetricCanBeAskedOfARecordingOfNothing(String name) {
        Metric metric = Metrics.named(name).orElseThrow();

        metric.read(facts(TimelineFixture.blank().build()))
                .ifPresent(value -> assertThat(value).isFinite().isNotNegative());
        assertThat(metric.description()).isNotBlank();
    }

    @Test
    void theClassesOfALedgerAddUpToItsLength() {
        assertThat(Arrays.stream(LedgerClass.values())
                        .map(LedgerClass::id)
                        .distinct()
                        .mapToDouble(id -> read("window." + id + ".ns"))
                        .sum())
                .isEqualTo((double) us(25));
        assertThat(Arrays.stream(LedgerClass.Rollup.values())
                        .mapToDouble(line -> read("window." + line.id() + ".ns"))
                        .sum())
                .isEqualTo((double) us(25));
    }

    private static double read(String name) {
        return Metrics.named(name).orElseThrow().read(FACTS).orElseThrow();
    }

    @Test
    void anUnknownNameHasNoMetric() {
        assertThat(Metrics.named("gpu.compute.shre")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("names")
    void aReportHoldsTheFiguresOfItsAnalysis(String name) {
        Metric metric = Metrics.named(name).orElseThrow();
        for (Told told : TOLD) {
            assertThat(metric.read(told.report())).isEqualTo(metric.read(told.analysis()));
        }
    }

    /** The facts of a report, and of the analysis that it was made of. */
    private record Told(ReportFacts report, AnalysisFacts analysis) {
        static Told of(Timeline timeline) {
            Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
            Report report = new Analyzer().report(analysis, "drawing");
            return new Told(new ReportFacts(report), new AnalysisFacts(analysis, report.verdict(), report.trust()));
        }
    }

    private static final List<Told> TOLD =
            List.of(Told.of(RICH), Told.of(TimelineFixture.blank().build()));

    @ParameterizedTest
    @CsvSource({
        "wall, window.duration-ns",
        "span, span.duration-ns",
        "gap, device.longest-gap-ns",
        "step, steps.median-ns",
        "request.p95, requests.p95-ns",
        "ttft, requests.median-first-ns",
        "rollup.h2d-copy.share, h2d-copy.share",
        "window.rollup.python.ns, window.python.ns"
    })
    void someMetricsHaveAnotherName(String other, String name) {
        assertThat(Metrics.named(other)).isEqualTo(Metrics.named(name)).isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "idle, 20%, idle.share",
        "span.copy.h2d, 5ms, span.copy.h2d.ns",
        "idle, 20, ''",
        "wall, 5ms, window.duration-ns",
        "wall, 5%, window.duration-ns",
        "idel, 5%, ''"
    })
    void theAmountTellsWhichFigureOfALedgerIsMeant(String name, String amount, String meant) {
        assertThat(Metrics.named(name, amount).map(Metric::name).orElse("")).isEqualTo(meant);
    }

    @Test
    void aLimitOnRequestsHoldsForEveryKindOfThem() {
        FigureSource facts = facts(TimelineFixture.blank()
                .host(RowKind.REQUEST, "server", 0, 10, "GET /health")
                .host(RowKind.REQUEST, "server", 20, 30, "GET /health")
                .host(RowKind.REQUEST, "server", 40, 940, "POST /generate")
                .build());

        assertThat(Metrics.named("request").orElseThrow().read(facts)).hasValue((double) us(900));
        assertThat(Metrics.named("requests.count").orElseThrow().read(facts)).hasValue(2);
    }

    @Test
    void whereNoDeviceIsAtWorkThereIsNoIdleTimeOfOne() {
        FigureSource facts =
                facts(TimelineFixture.blank().scope("main", 0, 10, "work").build());

        Metric idle = Metrics.named("window.idle.share").orElseThrow();
        assertThat(idle.read(facts)).isEmpty();
        assertThat(idle.source().absence(facts)).isEqualTo("no device work is recorded");
        Metric head = Metrics.named("head.copy.share").orElseThrow();
        assertThat(head.source().absence(facts)).isEqualTo("there is no head");
    }

    @Test
    void thePageListsWhatCanBeAsked() throws IOException {
        assertThat(listed("Parts"))
                .containsExactlyElementsOf(LedgerMetrics.PARTS.entrySet().stream()
                        .filter(part -> !part.getKey().isEmpty())
                        .map(part -> "| `" + part.getKey() + "` | " + part.getValue() + " |")
                        .toList());
        assertThat(listed("Classes"))
                .map(row -> row.split("`", -1)[1])
                .containsExactlyElementsOf(LedgerMetrics.CLASSES.keySet());
        assertThat(listed("Questions"))
                .map(row -> row.split("`", -1)[1])
                .containsExactlyElementsOf(Arrays.stream(ReportProperty.values())
                        .map(ReportProperty::id)
                        .toList());
        assertThat(listed("Questions"))
                .zipSatisfy(
                        Arrays.asList(ReportProperty.values()),
                        (row, question) -> assertThat(row).endsWith("| " + question.description() + " |"));
    }

    /** -Dinferscope.golden=adopt rewrites the list. */
    @Test
    void thePageListsTheFiguresThatAreNoTimesOfLedgers() throws IOException {
        Path path = Path.of("..", "docs", "metrics.md");
        String page = Files.readString(path);
        int begin = page.indexOf("| `", page.indexOf("## Other figures"));
        String expected = page.substring(0, begin)
                + FigureMetrics.all().stream().map(MetricsTest::row).collect(Collectors.joining("\n"))
                + page.substring(page.indexOf("\n\n", begin));
        if ("adopt".equals(System.getProperty("inferscope.golden"))) {
            Files.writeString(path, expected);
            return;
        }

        assertThat(page).isEqualTo(expected);
    }

    private static String row(Metric metric) {
        String other = metric.shortName().isEmpty() ? "" : "`" + metric.shortName() + "`";
        return "| `" + metric.name() + "` | " + other + " | " + metric.unit().id() + " | " + metric.description()
                + " |";
    }

    /** Returns the rows of the table below a heading of the page. */
    private static List<String> listed(String heading) throws IOException {
        List<String> rows = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(Path.of("..", "docs", "metrics.md"))) {
            inside = line.startsWith("#") ? line.endsWith("# " + heading) : inside;
            if (inside && line.startsWith("| `")) {
                rows.add(line);
            }
        }
        return rows;
    }

    private static FigureSource facts(Timeline timeline) {
        return new AnalysisFacts(
                Analysis.of(timeline, Thresholds.defaults()),
                new BoundVerdict(Bound.CPU, "CPU-bound.", 12, Bound.BALANCED, List.of()),
                List.of());
    }
}
