package io.inferscope.formats.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.RandomTimelines;
import io.inferscope.timeline.fixture.SameTimeline;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Folded stacks and speedscope files. */
@Tag("traces")
class StackExportersTest {
    @TempDir
    private Path folder;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    static LongStream seeds() {
        return Seeds.upTo(60);
    }

    private static Timeline nested() {
        return TimelineFixture.blank()
                .scope("7", 0, 100, "request")
                .python("7", 10, 50, "serve.py(3): f;\u001b\u009b g")
                .operator("7", 20, 30, "aten::mm")
                .kernel("5", 40, 45.5, "gemm")
                .build();
    }

    @Test
    void countsAreMicrosecondsOfSelfTime() throws Exception {
        assertThat(folded(nested()))
                .containsExactly(
                        "process 1:\"1\";thread (7): 7;request 60",
                        "process 1:\"1\";thread (7): 7;request;serve.py(3): f, g 30",
                        "process 1:\"1\";thread (7): 7;request;serve.py(3): f, g;aten::mm 10",
                        "device 0;stream 5;gemm 6");
    }

    @Test
    void whatAnotherRecordingCapturedIsLeftOut() throws Exception {
        Timeline timeline = TimelineFixture.blank()
                .captured(RowKind.OPERATOR, "7", -900, -800, "aten::mm")
                .operator("7", 2, 10, "aten::relu")
                .build();
        Path file = folder.resolve("x.speedscope.json");
        new SpeedscopeExporter().write(timeline, file);

        assertThat(folded(timeline)).containsExactly("process 1:\"1\";thread (7): 7;aten::relu 8");
        assertThat(Json.list(Json.object(Json.parse(Files.newInputStream(file))).get("profiles")))
                .singleElement()
                .satisfies(profile -> assertThat(Json.object(profile))
                        .containsEntry("startValue", 0L)
                        .containsEntry("endValue", 8_000L));
        assertThat(new SpeedscopeExporter().leftOut(timeline))
                .endsWith("; 1 row of graph captures in another recording");
    }

    @Test
    void countsOfATrackSumToItsTimeHoweverShortItsRangesAre() throws Exception {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.hostNs(RowKind.OPERATOR, "7", i * 1000L, i * 1000L + 400, "op" + i);
        }
        assertThat(folded(fixture.build()).stream()
                        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                        .sum())
                .isEqualTo(4);
    }

    /** 2,000 frames in each of 4,000 lines would be 8 million. */
    @Test
    void eachLineHoldsAtMostTheOutermostFramesAndTheInnermost() throws Exception {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 2_000; i++) {
            fixture.python("7", 2 * i, 8_000 - 2 * i, "rec.py(3): f" + i);
        }
        String[] frames = new String[2_000];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = "f" + i;
        }
        fixture.sample("8", 0, 10, frames);

        List<String> lines = folded(fixture.build());

        assertThat(lines)
                .hasSize(2_001)
                .allSatisfy(line -> assertThat(line.split(";").length).isLessThanOrEqualTo(2 + 256 + 2));
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).endsWith("rec.py(3): f255;(deeper);rec.py(3): f1999 4"))
                .anySatisfy(line -> assertThat(line).endsWith("rec.py(3): f254;rec.py(3): f255 4"))
                .anySatisfy(line -> assertThat(line).endsWith(";f255;(deeper);f1999 10"));
        assertThat(lines.stream()
                        .filter(line -> line.contains("rec.py"))
                        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                        .sum())
                .isEqualTo(8_000);
    }

    @Test
    void overlapsAreCutAndSaidSo() throws Exception {
        Timeline timeline = TimelineFixture.blank()
                .kernel("5", 0, 10, "a")
                .kernel("5", 5, 15, "b")
                .build();
        assertThat(folded(timeline)).containsExactly("device 0;stream 5;a 10", "device 0;stream 5;b 5");
        assertThat(new FoldedExporter().leftOut(timeline)).contains("1 ranges that overlap another one");
    }

    @Test
    void kinetoTracesKeepTheStacksOfSamples() throws Exception {
        Timeline original = Formats.importers().load(SharedTraces.folder().resolve("other/pyspy.speedscope.json"));
        Path file = folder.resolve("copy.json.gz");
        new KinetoFileExporter().write(original, file);
        SameTimeline.assertSame(Formats.importers().load(file), original);
    }

    @Test
    void samplesComeBackAsTheyWere() throws Exception {
        Timeline original = Formats.importers().load(SharedTraces.folder().resolve("other/pyspy.speedscope.json"));
        Path file = folder.resolve("copy.speedscope.json");
        new SpeedscopeExporter().write(original, file);
        Timeline again = Formats.importers().load(file);
        assertThat(again.rowCount()).isEqualTo(original.rowCount()).isPositive();
        for (int row = 0; row < again.rowCount(); row++) {
            assertThat(again.name(row)).isEqualTo(original.name(row));
            assertThat(again.durationNs(row)).isEqualTo(original.durationNs(row));
        }
        assertThat(folded(again)).isEqualTo(folded(original)).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void speedscopeFilesFollowTheSchema(long seed) throws Exception {
        checkSpeedscope(RandomTimelines.of(seed));
    }

    @ParameterizedTest
    @MethodSource("traces")
    void realTracesFollowTheSchema(Path trace) throws Exception {
        Timeline timeline = SharedTraces.timeline(trace);
        checkSpeedscope(timeline);
        assertThat(folded(timeline)).allMatch(line -> line.matches(".+ [1-9][0-9]*"));
    }

    private List<String> folded(Timeline timeline) throws Exception {
        Path file = folder.resolve("stacks.folded");
        new FoldedExporter().write(timeline, file);
        return Files.readAllLines(file);
    }

    /** The rules of speedscope's file-format-spec.ts, and that events nest and do not go back in time. */
    private void checkSpeedscope(Timeline timeline) throws Exception {
        Path file = folder.resolve("x.speedscope.json");
        new SpeedscopeExporter().write(timeline, file);
        Map<String, Object> document = Json.object(Json.parse(Files.readString(file)));
        assertThat(document).containsEntry("$schema", "https://www.speedscope.app/file-format-schema.json");
        List<?> frames = list(map(document.get("shared")).get("frames"));
        assertThat(frames).allMatch(frame -> map(frame).get("name") instanceof String);
        for (Object element : list(document.get("profiles"))) {
            Map<?, ?> profile = map(element);
            assertThat(profile.get("name")).isInstanceOf(String.class);
            assertThat(profile.get("unit")).isEqualTo("nanoseconds");
            assertThat(number(profile.get("startValue"))).isBetween(0L, number(profile.get("endValue")));
            if (profile.get("type").equals("evented")) {
                checkEvents(profile, frames.size());
            } else {
                checkSamples(profile, frames.size());
            }
        }
    }

    private static void checkEvents(Map<?, ?> profile, int frames) {
        Deque<Long> open = new ArrayDeque<>();
        long now = number(profile.get("startValue"));
        long endValue = number(profile.get("endValue"));
        for (Object element : list(profile.get("events"))) {
            Map<?, ?> event = map(element);
            long at = number(event.get("at"));
            long frame = number(event.get("frame"));
            boolean opens = event.get("type").equals("O");
            boolean closes = event.get("type").equals("C");
            boolean sound = at >= now && at <= endValue && frame >= 0 && frame < frames && (opens || closes);
            if (opens) {
                open.push(frame);
            }
            // Not an assertion of its own for each of a million events, which would take minutes.
            if (!sound || (closes && open.pop() != frame)) {
                throw new AssertionError("after " + now + " with open frames " + open + ": " + event);
            }
            now = at;
        }
        assertThat(open).isEmpty();
    }

    private static void checkSamples(Map<?, ?> profile, int frames) {
        assertThat(profile.get("type")).isEqualTo("sampled");
        assertThat(list(profile.get("samples"))).hasSameSizeAs(list(profile.get("weights")));
        for (Object stack : list(profile.get("samples"))) {
            assertThat(list(stack)).allMatch(frame -> number(frame) >= 0 && number(frame) < frames);
        }
        long sum = list(profile.get("weights")).stream()
                .mapToLong(StackExportersTest::number)
                .sum();
        assertThat(sum).isEqualTo(number(profile.get("endValue")) - number(profile.get("startValue")));
    }

    private static Map<?, ?> map(Object value) {
        return (Map<?, ?>) value;
    }

    private static List<?> list(Object value) {
        return (List<?>) value;
    }

    private static long number(Object value) {
        return ((Number) value).longValue();
    }
}
