package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.diff.Comparison.Outcome;
import io.inferscope.analyzer.diff.Diff;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.json.JsonReportReader;
import io.inferscope.report.markdown.MarkdownPage;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Reports on real traces stay readable and within their bounds. */
@Tag("traces")
class RealReportsTest {
    private static final int SCREENS = 65;
    private static final int HTML_LIMIT = 1_000_000;

    @TempDir
    private Path folder;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    /** A reader of 200 words a minute is there within one minute: docs/gallery.md walks through them. */
    @ParameterizedTest
    @CsvSource({
        "h100-bert-small, modeling_bert.py:364 forward",
        "h100-bert-small, mode=\"reduce-overhead\"",
        "h100-timesformer, image_transforms.py:390 normalize",
        "b200-eager, --enforce-eager",
    })
    void thePageNamesTheLineToChangeInItsFirstWords(String trace, String line) throws Exception {
        Path file = SharedTraces.kineto(trace);
        Report report = new Analyzer().analyze(SharedTraces.timeline(file), trace);

        String text = HtmlCheck.text(Rendered.as("html", report));

        assertThat(text).contains(line);
        assertThat(text.substring(0, text.indexOf(line)).split("\\s+")).hasSizeLessThan(150);
    }

    @ParameterizedTest
    @MethodSource("traces")
    void everyFormatIsAsLongAsItShouldBe(Path trace) throws Exception {
        Side side = Side.of(
                new Analyzer(),
                SharedTraces.timeline(trace),
                trace.getFileName().toString());
        Report report = side.report();

        String console = Rendered.as("console", report);
        assertThat(Rendered.as(
                        "console",
                        new Analyzer()
                                .conclude(SharedTraces.timeline(trace), report.title())
                                .report()))
                .isEqualTo(console);
        assertThat(console.lines().count()).isLessThan(SCREENS);
        assertThat(console.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(console).contains("End-to-end latency: ", "Breakdown:\n", "Diagnosis:\n");
        assertThat(Rendered.as("markdown", report)).hasSizeLessThanOrEqualTo(MarkdownPage.LIMIT);
        assertThat(Rendered.as("html", report)).hasSizeLessThanOrEqualTo(HTML_LIMIT);
        String text = Rendered.as("json", report);
        assertThat(Diff.of(
                                side,
                                Side.of(
                                        JsonReportReader.read(Files.writeString(folder.resolve("r.json"), text)),
                                        "r.json"))
                        .outcome())
                .as("compared with its own report")
                .isEqualTo(Outcome.SAME);
        Map<String, Object> json = JsonTree.object(JsonTree.of(text));
        assertThat(JsonPaths.objects(json, "rollup").stream()
                        .mapToLong(line -> ((Number) line.get("ns")).longValue())
                        .sum())
                .isEqualTo(report.window().durationNs());
    }
}
