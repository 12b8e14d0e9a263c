package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.RandomTimelines;
import io.inferscope.timeline.fixture.SameTimeline;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written reads back as it was. */
@Tag("traces")
class KinetoExporterTest {
    @TempDir
    private Path folder;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    static LongStream seeds() {
        return Seeds.upTo(200);
    }

    @ParameterizedTest
    @MethodSource("traces")
    void realTracesComeBackUnchanged(Path trace) throws Exception {
        Timeline original = SharedTraces.timeline(trace);
        SameTimeline.assertSame(throughFile(original, "copy.json.gz"), original);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomTimelinesComeBackUnchanged(long seed) throws Exception {
        Timeline original = RandomTimelines.of(seed);
        Timeline again = throughFile(original, "random.json");
        SameTimeline.assertSame(again, original);
        assertThat(again.importStats().count(Effect.DROPPED))
                .as(again.importStats().damage())
                .isZero();
    }

    @Test
    void launchesAreDrawnAsArrowsWithTheirCorrelationId() throws Exception {
        Timeline timeline = TimelineFixture.draw("""
                us           0    10   20
                thread main  .LL.........
                stream 7     ....KKK.....
                links in order
                """);
        Path file = folder.resolve("arrows.json");
        KinetoExporter.write(timeline, file);
        assertThat(Files.readString(file)).contains("\"cat\":\"ac2g\"", "\"ph\":\"s\"", "\"bp\":\"e\"");
        SameTimeline.assertSame(CoreFormats.load(file), timeline);
    }

    /** TraceLens stops at a metadata event whose name it does not know. */
    @Test
    void metadataEventsHaveKnownNamesOnly() throws Exception {
        Path file = folder.resolve("metadata.json");
        KinetoExporter.write(RandomTimelines.of(3), file);
        Map<String, Object> document = Json.object(Json.parse(Files.newInputStream(file)));
        assertThat(Json.list(document.get("traceEvents")).stream()
                        .map(Json::object)
                        .filter(event -> event.get("ph").equals("M"))
                        .map(event -> event.get("name")))
                .containsOnly(
                        "process_name", "process_labels", "process_sort_index", "thread_name", "thread_sort_index");
    }

    /** HTA takes every event with a stream for work of the device. */
    @Test
    void annotationsOnStreamsDoNotNameTheStream() throws Exception {
        Timeline timeline = TimelineFixture.blank()
                .operation(RowKind.DEVICE_ANNOTATION, "7", 0, 9, "step")
                .build();
        Path file = folder.resolve("annotation.json");
        KinetoExporter.write(timeline, file);
        assertThat(Files.readString(file)).contains("gpu_user_annotation").doesNotContain("\"stream\"");
        SameTimeline.assertSame(CoreFormats.load(file), timeline);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "[1]", "[[8,8],[]]", "[[-5,0],[10]]"})
    void dimensionsAreWrittenAsArrays(String dimensions) {
        assertThat(KinetoMembers.isNestedNumbers(dimensions)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "8", "[", "[01]", "[1,]", "[,1]", "[-]", "[][]", "[1]]", "[a]", "[1 ]", "[--1]", "[1-1]", "[[1]2]"
            })
    void whatIsNoArrayOfNumbersIsText(String text) {
        assertThat(KinetoMembers.isNestedNumbers(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[float,,Scalar]",
                "[,[16, 16],,]",
                "[a]",
                "[,]",
                "[[1,2],[3]]",
                "[]",
                "[a,[b]",
                "[a]b[c]",
                "plain",
                ""
            })
    void listsOfTextsAreWrittenAsArraysAndReadBack(String list) throws Exception {
        Timeline timeline = TimelineFixture.blank()
                .operator("main", 0, 9, "aten::conv2d")
                .text(Attribute.INPUT_TYPES, list)
                .build();
        SameTimeline.assertSame(throughFile(timeline, "list.json"), timeline);
        assertThat(Files.readString(folder.resolve("list.json")).contains("\"Input type\":["))
                .isEqualTo(KinetoMembers.isList(list));
    }

    private Timeline throughFile(Timeline timeline, String name) throws Exception {
        Path file = folder.resolve(name);
        KinetoExporter.write(timeline, file);
        return CoreFormats.load(file);
    }
}
