package io.inferscope.report.scene;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class SceneTest {
    private final TimelineBuilder builder = new TimelineBuilder();
    private final int process = builder.track(TrackKind.PROCESS, -1, "1");

    /** The waiting thread has rows, but none that is drawn: the numbers of the tracks after it must not count it. */
    @Test
    void aTrackWithoutAnythingToDrawTakesNoNumber() {
        int waiting = builder.track(TrackKind.THREAD, process, "1");
        int working = builder.track(TrackKind.THREAD, process, "2");
        for (int i = 0; i < 9; i++) {
            int row = builder.row(RowKind.THREAD_STATE, waiting, i * 100, i * 100 + 100, builder.name("blocked"));
            builder.attribute(row, Attribute.ON_CPU_NS, 0);
            builder.attribute(row, Attribute.RUNNABLE_NS, 0);
        }
        builder.row(RowKind.ANNOTATION, working, 0, 900, builder.name("work"));

        Scene scene = scene(Scene.Limits.USUAL);

        assertThat(scene.track("thread 1")).isEqualTo(-1);
        assertThat(scene.track("thread 2")).isZero();
    }

    @Test
    void eventsThatFindNoLaneAreCounted() {
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "7");
        for (int i = 0; i < Scene.MOST_LANES + 30; i++) {
            builder.row(RowKind.KERNEL, stream, i, 10_000 + i, builder.name("gemm"));
        }
        builder.row(RowKind.KERNEL, stream, 20_000, 30_000, builder.name("gemm"));
        Scene scene = scene(Scene.Limits.USUAL);

        assertThat(scene.tooDeep()).isEqualTo(30);
        assertThat(scene.leftOut()).isZero();
    }

    /** Ten equal steps: the slowest five lie in the parts that are looked at afterwards, whose events are not to count again. */
    @Test
    void eventsOfPartsThatOverlapCountOnce() {
        int thread = builder.track(TrackKind.THREAD, process, "1");
        for (int step = 0; step < 10; step++) {
            long startNs = step * 1_000_000L;
            builder.row(RowKind.ANNOTATION, thread, startNs, startNs + 1_000_000, builder.name("ProfilerStep#" + step));
            for (int i = 0; i < 99; i++) {
                builder.row(
                        RowKind.OPERATOR,
                        thread,
                        startNs + i * 10_000,
                        startNs + i * 10_000 + 9_000,
                        builder.name("mm"));
            }
        }

        assertThat(scene(new Scene.Limits(900, 5_600_000)).events()).isBetween(850L, 1_000L);
    }

    /** Each step computes in Python, then launches; the eighth takes longest. */
    @Test
    void evidenceOfALineLeadsToItsLongestRow() {
        AnalyzedReport explained = pythonBeforeEachOf(20);
        List<String> places = explained.report().findings().stream()
                .flatMap(finding -> finding.evidence().stream())
                .filter(Evidence.Place.class::isInstance)
                .map(evidence -> ((Evidence.Place) evidence).where())
                .toList();
        Scene scene = Scene.of(explained.analysis(), explained.report(), Scene.Limits.USUAL);

        assertThat(places).contains("app.py:31 decode");
        assertThat(places)
                .filteredOn(place -> !place.equals("nothing recorded"))
                .allSatisfy(place -> assertThat(scene.landing(place)).isPresent());
        assertThat(scene.landing("app.py:31 decode"))
                .hasValue(new Scene.Landing(7_000_000, 7_950_000, scene.track("thread 1")));
        assertThat(scene.landing("thread 1").orElseThrow().track()).isEqualTo(scene.track("thread 1"));
        assertThat(scene.landing("app.py:32 other")).isEmpty();
    }

    /** They are not drawn: they lie before the window. */
    @Test
    void capturedRowsAreNoPlacesAndTakeNoRoom() {
        int captured = builder.track(TrackKind.CAPTURE, process, "1 captured before");
        builder.row(RowKind.PYTHON_FUNCTION, captured, -9_000_000, -1_000_000, builder.name("app.py(31): decode"));
        for (int i = 0; i < 100; i++) {
            builder.row(RowKind.OPERATOR, captured, -9_000_000 + i, -9_000_000 + i + 1, builder.name("mm"));
        }
        AnalyzedReport explained = pythonBeforeEachOf(20);
        Scene scene = Scene.of(explained.analysis(), explained.report(), new Scene.Limits(60, 5_600_000));

        assertThat(scene.landing("app.py:31 decode"))
                .hasValue(new Scene.Landing(7_000_000, 7_950_000, scene.track("thread 1")));
        assertThat(scene.leftOut()).isZero();
    }

    /** Compared as they are before they are compressed, since builds of zlib differ. {@code -Dinferscope.golden=adopt} writes them anew. */
    @Test
    void theNumbersAreThoseThatTheScriptReads() throws IOException {
        AnalyzedReport explained = pythonBeforeEachOf(3);
        Scene scene = Scene.of(explained.analysis(), explained.report(), Scene.Limits.USUAL);
        byte[] bytes = new GZIPInputStream(new ByteArrayInputStream(scene.compressed())).readAllBytes();
        StringBuilder lines = new StringBuilder();
        for (int at = 0; at < bytes.length; at += 16) {
            byte[] line = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 16));
            String text = new String(line, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", ".");
            lines.append(String.format(
                                    Locale.ROOT,
                                    "%-48s%s",
                                    HexFormat.ofDelimiter(" ").formatHex(line),
                                    text)
                            .stripTrailing())
                    .append('\n');
        }
        Path golden = Path.of("src", "test", "resources", "golden", "scene.hex");
        if ("adopt".equals(System.getProperty("inferscope.golden"))) {
            Files.writeString(golden, lines);
        }

        assertThat(lines.toString()).isEqualTo(Files.readString(golden));
    }

    private AnalyzedReport pythonBeforeEachOf(int steps) {
        int thread = builder.track(TrackKind.THREAD, process, "1");
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "7");
        for (int step = 0; step < steps; step++) {
            long startNs = step * 1_000_000L;
            long launchNs = startNs + 900_000 + (step == 7 ? 50_000 : 0);
            builder.row(RowKind.PYTHON_FUNCTION, thread, startNs, launchNs, builder.name("app.py(31): decode"));
            int call = builder.row(
                    RowKind.RUNTIME_CALL, thread, launchNs, launchNs + 5_000, builder.name("cudaLaunchKernel"));
            int kernel = builder.row(RowKind.KERNEL, stream, launchNs + 8_000, launchNs + 20_000, builder.name("gemm"));
            builder.link(LinkKind.LAUNCH, call, kernel, 100);
        }
        return new Analyzer().explain(builder.build("test"), "test");
    }

    private Scene scene(Scene.Limits limits) {
        AnalyzedReport explained = new Analyzer().explain(builder.build("test"), "test");
        return Scene.of(explained.analysis(), explained.report(), limits);
    }
}
