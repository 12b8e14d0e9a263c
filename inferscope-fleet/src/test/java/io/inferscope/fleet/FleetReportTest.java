package io.inferscope.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.shapes.TablesPage;
import io.inferscope.timeline.JsonValues;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetReportTest {
    private static final long DAY_NS = 86_400_000_000_000L;
    private static final long START_NS = 1_790_000_000_000_000_000L;

    @TempDir
    Path folder;

    @Test
    void sumsAreThoseOfTheReportsAndWhatCannotBeTrustedIsLeftOutAndCounted() throws Exception {
        List<RecordingRows> summaries = new ArrayList<>();
        long idleNs = 0;
        long deviceNs = 0;
        for (int i = 0; i < 6; i++) {
            Path trace = Traces.write(folder.resolve(i + ".json"), START_NS + i % 2 * DAY_NS, 5 + 4 * i, "op");
            Origin origin =
                    new Origin(Origin.traceId(List.of(trace)), "1", i + ".json", Map.of("service", "s" + i % 2));
            Report report = new Analyzer().analyze(Formats.importers().load(trace), "a");
            idleNs += report.rows(Report.DEVICES).get(0).windowIdleNs();
            deviceNs += report.window().durationNs();
            summaries.add(FleetBuild.summary(trace, origin, new Analyzer()));
        }
        summaries.add(RecordingRows.failed(new Origin("f", "1", "bad", Map.of()), "broken"));
        new SummarySets(folder.resolve("rows")).write(summaries);

        FleetReport report = FleetReport.of(folder.resolve("rows"));
        Map<String, Object> json = json(report);
        assertThat(json.get("recordings")).hasToString("7");
        assertThat(json.get("trusted")).hasToString("6");
        assertThat(json.get("leftOut")).hasToString("{failed=1}");
        assertThat(sum(json, "services", "idleNs")).isEqualTo(idleNs);
        assertThat(sum(json, "classes", "idleNs")).isEqualTo(idleNs);
        assertThat(sum(json, "days", "deviceNs")).isEqualTo(deviceNs);
        assertThat(sum(json, "services", "deviceNs")).isEqualTo(deviceNs);
        assertThat(sum(json, "places", "ns")).isEqualTo(idleNs);

        TablesPage page = report.page("rows");
        assertThat(page.conclusion().get(0)).contains("in 6 recordings");
        assertThat(page.cautions().get(0))
                .contains("1 of 7 recordings are left out")
                .contains("failed 1");
        assertThat(page.plots()).extracting(plot -> plot.id()).containsExactly("services", "days");
    }

    @Test
    void everyFormatIsWrittenAndNamesCannotEndTheirMarkup() throws Exception {
        Path trace = Traces.write(folder.resolve("a.json"), START_NS, 8, "</script><img src=x onerror=alert(1)>");
        Origin origin = new Origin("1", "1", "<b>name</b>.json", Map.of("service", "<img src=x>"));
        new SummarySets(folder.resolve("rows")).write(List.of(FleetBuild.summary(trace, origin, new Analyzer())));
        TablesPage page = FleetReport.of(folder.resolve("rows")).page("</title><script>alert(1)</script>");
        for (String format : List.of("console", "markdown", "html")) {
            StringBuilder out = new StringBuilder();
            page.render(format, ConsoleOptions.FILE, out);
            assertThat(out).contains("fleet");
            if (format.equals("html")) {
                assertThat(out).doesNotContain("<img").doesNotContain("<script>alert");
            }
        }
    }

    @Test
    void nothingIsSaidWithoutADevice() throws Exception {
        new SummarySets(folder).write(List.of(RecordingRows.failed(new Origin("f", "1", "bad", Map.of()), "broken")));
        TablesPage page = FleetReport.of(folder).page("x");
        assertThat(page.conclusion())
                .containsExactly("No recording with a device can be trusted, so nothing is known of their idle time.");
    }

    @Test
    void aRecordingFarFromTheOthersIsAnOutlier() throws Exception {
        List<RecordingRows> summaries = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Path trace = Traces.write(folder.resolve(i + ".json"), START_NS, 40 + i, "op", i == 9 ? 400 : 100);
            Origin origin = new Origin("id" + i, "1", i + ".json", Map.of());
            summaries.add(FleetBuild.summary(trace, origin, new Analyzer()));
        }
        new SummarySets(folder.resolve("rows")).write(summaries);
        assertThat(FleetReport.of(folder.resolve("rows")).page("x").tables())
                .filteredOn(table -> table.title().startsWith("Recordings unlike"))
                .singleElement()
                .satisfies(table ->
                        assertThat(table.rows()).extracting(row -> row.get(0)).containsExactly("9.json"));
    }

    @Test
    void theIntervalOfAShareHoldsItAndNarrowsWithMoreRecordings() {
        Shares few = new Shares();
        Shares many = new Shares();
        IntStream.range(0, 1000).forEach(i -> {
            (i < 10 ? few : many).add(i % 10 < 3 ? 100 : 0, 100);
            if (i < 10) {
                many.add(i % 10 < 3 ? 100 : 0, 100);
            }
        });
        assertThat(few.interval().ratio()).isEqualTo(0.3);
        assertThat(many.interval().ratio()).isEqualTo(0.3);
        assertThat(few.interval().low()).isLessThan(0.2);
        assertThat(few.interval().high()).isGreaterThan(0.4);
        // 1.96 standard errors of 1000 draws are 0.028.
        assertThat(many.interval().low()).isBetween(0.26, 0.285);
        assertThat(many.interval().high()).isBetween(0.315, 0.34);
        assertThat(few.interval()).isEqualTo(few.interval());
    }

    private static Map<String, Object> json(FleetReport report) throws Exception {
        StringBuilder out = new StringBuilder();
        report.json(out);
        return JsonValues.read(new ByteArrayInputStream(out.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private static long sum(Map<String, Object> json, String list, String member) {
        long sum = 0;
        for (Object one : (List<?>) json.get(list)) {
            sum += ((Number) ((Map<?, ?>) one).get(member)).longValue();
        }
        return sum;
    }
}
