package io.inferscope.formats.stacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpeedscopeImporterTest {
    private static final String SCHEMA = "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"";
    private static final String FRAMES = """
            "shared":{"frames":[{"name":"main","file":"serve.py","line":3},{"name":"work","file":"serve.py","line":9},
            {"name":"select","file":"/lib/libc.so.6","line":0},{"name":"gc"}]}""";

    @TempDir
    private Path folder;

    @Test
    void samplesLieOneAfterTheOtherForTheirWeightsWithTheInnermostFrameAsName() throws Exception {
        Timeline timeline = load("""
                {"type":"sampled","name":"Thread 7 \\"worker\\"","unit":"milliseconds","startValue":2,"endValue":9,
                 "samples":[[0,1],[],[0,1,2],[3]],"weights":[1.5,2,0.000001,3]}""");

        assertThat(rows(timeline))
                .containsExactly(
                        "STACK_SAMPLE 7 [2000000,3500000) serve.py(9): work STACK=[serve.py(3): main, serve.py(9): work]",
                        "STACK_SAMPLE 7 [5500000,5500001) select [libc.so.6] STACK=[serve.py(3): main, serve.py(9): work, select [libc.so.6]]",
                        "STACK_SAMPLE 7 [5500001,8500001) gc STACK=[gc]");
        assertThat(timeline.tracks().get(1).name()).isEqualTo("worker");
        assertThat(timeline.importStats().damage()).isEmpty();
        assertThat(timeline.importStats().eventsRead()).isEqualTo(4);
        assertThat(timeline.info().coverage())
                .containsExactly(
                        new Coverage(
                                "stacks",
                                3,
                                1,
                                "samples without frames, 2 ms in all: no code ran that the sampler shows, as when an interpreter starts or ends"));
    }

    @ParameterizedTest
    @CsvSource({"seconds, 1500000000", "milliseconds, 1500000", "microseconds, 1500", "nanoseconds, 2"})
    void weightsAreReadInTheirUnit(String unit, long ns) throws Exception {
        Timeline timeline = load(
                "{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"" + unit + "\",\"samples\":[[0]],\"weights\":[1.5]}");

        assertThat(timeline.durationNs(0)).isEqualTo(ns);
        assertThat(timeline.properties()).isEmpty();
    }

    @Test
    void countsWithoutAUnitAreTakenForTenMillisecondsEachAndThatIsSaid() throws Exception {
        Timeline timeline =
                load("{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"none\",\"samples\":[[0],[1]],\"weights\":[3,1]}");

        assertThat(rows(timeline).get(0)).contains("[0,30000000)").contains("SAMPLES=3");
        assertThat(timeline.properties())
                .containsEntry("samples_axis", "packed")
                .containsEntry("samples_assumed_period_ns", "10000000");
    }

    @Test
    void eventedProfilesAreMeasuredCallsThatNest() throws Exception {
        Timeline timeline = load("""
                {"type":"evented","name":"t","unit":"microseconds","startValue":0,"endValue":9,"events":[
                 {"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":5},
                 {"type":"C","frame":0,"at":8.5}]}""");

        assertThat(rows(timeline))
                .containsExactly(
                        "PYTHON_FUNCTION t [1000,8500) serve.py(3): main",
                        "PYTHON_FUNCTION t [2000,5000) serve.py(9): work");
        assertThat(timeline.parent(1)).isZero();
    }

    @Test
    void eventedProfilesThatDoNotNestAreRepairedAndCounted() throws Exception {
        Timeline timeline = load("""
                {"type":"evented","name":"t","unit":"nanoseconds","events":[
                 {"type":"C","frame":3,"at":1},{"type":"O","frame":0,"at":2},{"type":"O","frame":1,"at":3},
                 {"type":"C","frame":0,"at":6},{"type":"O","frame":2,"at":7},{"type":"X","frame":2,"at":8},7,
                 {"type":"O","frame":99,"at":"x"},{"type":"O","frame":99,"at":9}]}""");

        assertThat(rows(timeline))
                .containsExactly(
                        "PYTHON_FUNCTION t [2,6) serve.py(3): main",
                        "PYTHON_FUNCTION t [3,6) serve.py(9): work",
                        "PYTHON_FUNCTION t [7,9) select [libc.so.6]");
        assertThat(timeline.importStats().count(Reason.UNMATCHED_END)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.UNCLOSED_BEGIN)).isEqualTo(3);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_PHASE)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.NOT_AN_EVENT)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_FRAME)).isEqualTo(1);
    }

    @Test
    void samplesThatCannotBePlacedAreCounted() throws Exception {
        Timeline timeline = load("{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"nanoseconds\","
                + "\"samples\":[[0],[0],[0],[0,77,1],4,[0],[0]],\"weights\":[-1,\"NaN\",1e300,5,6,7]}");

        assertThat(rows(timeline))
                .containsExactly("STACK_SAMPLE t [11,18) serve.py(3): main STACK=[serve.py(3): main]");
        assertThat(timeline.importStats().count(Reason.NEGATIVE_SPAN)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.NEGATIVE_DURATION))
                .as("device operations")
                .isZero();
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(2);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_FRAME)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.NOT_AN_EVENT)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.MISSING_DURATION)).isEqualTo(1);
    }

    @Test
    void profilesAreThreadsEvenWhereTheirNamesAreEqualAndProcessesAreTold() throws Exception {
        String profile =
                "{\"type\":\"sampled\",\"name\":\"Process 4 Thread 7 \\\"w\\\"\",\"unit\":\"seconds\",\"samples\":[[0]],\"weights\":[1]}";
        Timeline timeline = load(profile + "," + profile);

        assertThat(timeline.tracks().stream().map(t -> t.kind() + " " + t.key() + " " + t.name()))
                .containsExactly("PROCESS 4 4", "THREAD 7 w", "THREAD 7 #1 w");
    }

    @Test
    void markerFramesOfProcessesAndThreadsAreNoCode() throws Exception {
        Path file = TraceFile.of(folder, "t.json", "{" + SCHEMA + """
                ,"shared":{"frames":[{"name":"process 4:\\"python3 serve.py --key secret\\"","file":"","line":0},
                {"name":"thread (7): w","file":"","line":0},{"name":"main","file":"serve.py","line":3}]},
                "profiles":[{"type":"sampled","name":"t","unit":"seconds","samples":[[0,1,2],[0]],"weights":[1,1]}]}""");
        Timeline timeline = Formats.importers().load(file);

        assertThat(rows(timeline))
                .containsExactly("STACK_SAMPLE t [0,1000000000) serve.py(3): main STACK=[serve.py(3): main]");
    }

    @Test
    void aCutFileGivesTheSamplesThatHaveWeightsWhenTheNamesComeFirst() throws Exception {
        String whole = "{" + SCHEMA + "," + FRAMES
                + ",\"profiles\":[{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"seconds\",\"samples\":[[0],[1],[0]],\"weights\":[1,1,";
        Timeline timeline = Formats.importers().load(TraceFile.of(folder, "cut.json", whole));

        assertThat(timeline.rowCount()).isEqualTo(2);
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.MISSING_DURATION)).isEqualTo(1);
    }

    @Test
    void aProfileOfMemoryBesideOneOfTimeIsLeftOut() throws Exception {
        Timeline timeline = load(
                "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"seconds\",\"samples\":[[0]],\"weights\":[1]},"
                        + "{\"type\":\"sampled\",\"name\":\"heap\",\"unit\":\"bytes\",\"samples\":[[0]],\"weights\":[64]}");

        assertThat(timeline.rowCount()).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.NOT_USED)).isEqualTo(1);
        assertThat(timeline.properties()).doesNotContainKey("samples_axis");
    }

    @Test
    void whatHoldsNoTimeOrNoNamesIsRefusedWithAReason() {
        assertThatThrownBy(() -> load(
                        "{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"bytes\",\"samples\":[[0]],\"weights\":[1]}"))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("t.json: its profiles measure bytes, not time; ");
        assertThatThrownBy(() -> Formats.importers()
                        .load(TraceFile.of(folder, "n.json", "{" + SCHEMA + ",\"profiles\":[{\"samples\":[[0,1")))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("it has no names of stack frames");
        assertThatThrownBy(() -> load("{\"type\":\"sampled\",\"unit\":\"seconds\",\"samples\":[[0]]}"))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("no usable sample in it (1 x complete event without a duration");
    }

    /** Figures by python3's json module from the same file. */
    @Tag("traces")
    @Test
    void aRealPySpyFileHasEverySampleOfItsThread() throws Exception {
        Timeline timeline = Formats.importers().load(SharedTraces.other("pyspy.speedscope.json"));
        Map<String, Long> ns = new HashMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            assertThat(timeline.kind(row)).isEqualTo(RowKind.STACK_SAMPLE);
            ns.merge(timeline.name(row), timeline.durationNs(row), Long::sum);
        }

        assertThat(timeline.rowCount()).isEqualTo(138);
        assertThat(timeline.importStats().eventsRead()).isEqualTo(185);
        assertThat(timeline.endNs(timeline.rowCount() - 1)).isLessThanOrEqualTo(3_700_000_000L);
        assertThat(ns)
                .containsEntry("zoo/z02_item_loop.py(7): penalise_itemwise", 380_000_000L)
                .containsEntry("torch/nn/modules/transformer.py(917): forward", 320_000_000L);
        assertThat(timeline.properties()).containsEntry("samples_axis", "packed");
        assertThat(timeline.info().coverage()).extracting(Coverage::missing).containsExactly(47L);
        int stack = (int) timeline.attribute(0, Attribute.STACK);
        assertThat(timeline.stacks().frames(stack)).hasSizeGreaterThan(10);
    }

    @Tag("traces")
    @Test
    void aRealPySpyFileThatIsCutAnywhereIsUsedOrRefused() throws Exception {
        byte[] whole = Files.readAllBytes(SharedTraces.other("pyspy.speedscope.json"));
        int used = 0;
        for (int length = 1; length < whole.length; length += 499) {
            try {
                Path cut = TraceFile.of(folder, "cut.json", java.util.Arrays.copyOf(whole, length));
                assertThat(Formats.importers().load(cut).importStats().damage()).isNotEmpty();
                used++;
            } catch (ImportException refused) {
                assertThat(refused.getMessage()).contains("cut.json: ").doesNotContain("\n");
            }
        }
        assertThat(used).isPositive();
    }

    private Timeline load(String profiles) throws Exception {
        String document = "{" + SCHEMA + ",\"profiles\":[" + profiles + "]," + FRAMES + "}";
        return Formats.importers().load(TraceFile.of(folder, "t.json", document));
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }
}
