package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.spool.StubCuda;
import io.inferscope.timeline.spool.StubCuda.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The CUDA agent, as it is shipped, in programs that use stand-ins of libcuda and libcupti: what it records, in each generation of CUPTI. */
@Tag("process")
@Tag("native")
class CudaAgentTest extends DeviceRecorderContract {
    private static final int KILLS = Seeds.areAll() ? 20 : 4;

    @TempDir
    Path spools;

    @BeforeAll
    static void build() throws Exception {
        StubCuda.prepare();
    }

    @Override
    protected Timeline record(Map<String, String> environment, String... steps) throws Exception {
        return record(13, environment, steps);
    }

    @Override
    protected ProcessBuilder start(Path folder, String step) {
        return StubCuda.builder(folder, 13, Map.of(), step);
    }

    @Override
    protected String busy() {
        return "forever";
    }

    @Override
    protected int kills() {
        return KILLS;
    }

    /** Judges what depends on when the agent's own thread runs, or on how fast. */
    private void judge(QuietMachine.Step attempt) throws Exception {
        QuietMachine.judge(spools, folder -> {
            spools = folder;
            attempt.run();
        });
    }

    private Timeline record(int generation, String... steps) throws Exception {
        return record(generation, Map.of(), steps);
    }

    private Timeline record(int generation, Map<String, String> environment, String... steps) throws Exception {
        Ended ended = StubCuda.run(spools, generation, environment, steps);
        assertThat(ended.exitCode()).isZero();
        return CoreFormats.load(spools);
    }

    private static Map<RowKind, Integer> kinds(Timeline timeline) {
        Map<RowKind, Integer> kinds = new TreeMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (!isRecorders(timeline, row)) {
                kinds.merge(timeline.kind(row), 1, Integer::sum);
            }
        }
        return kinds;
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 12, 13})
    void everyKindOfRecordOfEveryGenerationComesBack(int generation) throws Exception {
        Timeline timeline = record(
                generation,
                "launch:100",
                "driver:3",
                "graph:2:5",
                "copy:4",
                "peer:1",
                "fill:2",
                "sync:3",
                "quiet:9",
                "range:2");
        assertThat(kinds(timeline))
                .containsAllEntriesOf(Map.of(
                        RowKind.KERNEL, 100 + 3 + 10 + 2,
                        RowKind.RUNTIME_CALL, 100 + 4 + 1 + 2 + 3 + 2,
                        RowKind.DRIVER_CALL, 3 + 2, // Those in the graph launches.
                        RowKind.GRAPH_LAUNCH, 2,
                        RowKind.MEMCPY_H2D, 4,
                        RowKind.MEMCPY_P2P, 1,
                        RowKind.MEMSET, 2,
                        RowKind.DEVICE_SYNC, 3,
                        RowKind.ANNOTATION, 1));
        assertThat(timeline.importStats().entries()).isEmpty();
        assertThat(timeline.properties())
                .containsEntry("device.0.name", "Stand-in GPU")
                .containsEntry("device.0.sms", "132");
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 12, 13})
    void aKernelCarriesItsNameItsShapeItsStreamAndItsLaunch(int generation) throws Exception {
        Timeline timeline = record(generation, "launch:2");
        int[] kernels = rows(timeline, RowKind.KERNEL);
        assertThat(IntStream.of(kernels).mapToObj(timeline::name))
                .containsExactlyInAnyOrder("gemm_64x64", "void at::native::vectorized_add<float>(float*, int)");
        for (int kernel : kernels) {
            assertThat(timeline.attributeText(kernel, Attribute.DETAIL))
                    .isEqualTo("grid 128x2x1, block 256x1x1, 40 registers, shared memory 1024 + 4096 bytes");
            // Both times are moved to the host's clock, each rounded by itself.
            assertThat(timeline.endNs(kernel) - timeline.startNs(kernel)).isBetween(999L, 1001L);
            int launch = timeline.links().launchOf(kernel);
            assertThat(timeline.name(launch)).isEqualTo("cudaLaunchKernel");
            assertThat(timeline.startNs(launch)).isLessThan(timeline.startNs(kernel));
        }
        assertThat(IntStream.of(kernels)
                        .mapToObj(row ->
                                timeline.tracks().get(timeline.track(row)).name()))
                .containsExactlyInAnyOrder("stream 7", "stream 8");
    }

    @Test
    void callsOfProgramsWhoseDefaultStreamIsTheThreadsOwnHaveTheirPlainNames() throws Exception {
        Timeline timeline = record(13, "own:3");
        assertThat(IntStream.of(rows(timeline, RowKind.RUNTIME_CALL)).mapToObj(timeline::name))
                .containsExactly("cudaLaunchKernel", "cudaLaunchKernel", "cudaLaunchKernel");
        assertThat(IntStream.of(rows(timeline, RowKind.DRIVER_CALL)).mapToObj(timeline::name))
                .containsExactly("cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync_v2");
    }

    @Test
    void aGraphLaunchOwnsItsReplayedKernels() throws Exception {
        Timeline timeline = record(13, "graph:3:4");
        int[] launches = rows(timeline, RowKind.GRAPH_LAUNCH);
        assertThat(launches).hasSize(3);
        for (int launch : launches) {
            assertThat(IntStream.range(0, timeline.links().count())
                            .filter(link -> timeline.links().fromRow(link) == launch)
                            .mapToObj(timeline.links()::kind))
                    .containsExactly(
                            LinkKind.GRAPH_REPLAY, LinkKind.GRAPH_REPLAY, LinkKind.GRAPH_REPLAY, LinkKind.GRAPH_REPLAY);
        }
        assertThat(timeline.attributeText(rows(timeline, RowKind.KERNEL)[0], Attribute.DETAIL))
                .endsWith("graph 4 node 100");
    }

    private static long wholeGraphs(Timeline timeline) {
        return IntStream.of(rows(timeline, RowKind.KERNEL))
                .filter(row -> timeline.name(row).startsWith("CUDA graph 4 (recorded as a whole)"))
                .count();
    }

    @ParameterizedTest
    @CsvSource({"nodes, 0", "whole, 30"})
    void howGraphsAreRecordedCanBeChosen(String how, int whole) throws Exception {
        Timeline timeline = record(13, Map.of("INFERSCOPE_GPU_GRAPHS", how), "graph:30:4");
        assertThat(wholeGraphs(timeline)).isEqualTo(whole);
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(whole > 0 ? 30 : 120);
        assertThat(timeline.info().coverage().stream()
                        .anyMatch(said -> said.source().equals("CUDA graphs")))
                .isEqualTo(whole > 0);
    }

    private static final Map<String, String> WHOLE = Map.of("INFERSCOPE_GPU_GRAPHS", "whole");

    private static void assertWholeThenKernels(Timeline timeline, int whole, int kernels) {
        assertThat(wholeGraphs(timeline)).isEqualTo(whole);
        assertThat(IntStream.of(rows(timeline, RowKind.KERNEL))
                        .filter(row -> timeline.name(row).equals("replayed")))
                .hasSize(kernels);
    }

    /** libcupti crashes in the launch of a graph that was instantiated while it did not record whole graphs. */
    @Test
    void afterAProfilerOfTheProgramGraphsAreNotRecordedAsAWholeAgain() throws Exception {
        assertWholeThenKernels(record(13, WHOLE, "graph:30:4", "profiled:70:300", "graph:20:4"), 30, 80);
    }

    @Test
    void graphsThatMayBeInstantiatedBetweenWindowsAreNotRecordedAsAWhole() throws Exception {
        Map<String, String> environment = new HashMap<>(windows(300, 0, 0));
        environment.putAll(WHOLE);
        Timeline timeline = record(13, environment, "graph:5:4", "until:1", "graph:20:4");
        assertWholeThenKernels(timeline, 0, 80);
        assertThat(timeline.properties().values()).anyMatch(text -> text.startsWith("recorded kernel by kernel"));
    }

    private static Map<String, String> windows(long afterMs, long lengthMs, long periodMs) {
        String text =
                System.nanoTime() + " " + afterMs * 1_000_000 + " " + lengthMs * 1_000_000 + " " + periodMs * 1_000_000;
        return Map.of("INFERSCOPE_GPU_WINDOWS", text);
    }

    @Test
    void aDelayedRecordingBeginsWhenItShould() throws Exception {
        judge(() -> {
            Timeline timeline = record(
                    13, windows(2500, 0, 0), "launch:100", "until:1", "flushes:1", "launch:20", "sync:1", "flushes:2");
            assertThat(rows(timeline, RowKind.KERNEL)).hasSize(20);
            assertThat(timeline.properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
            assertThat(timeline.properties()).containsEntry("device.0.name", "Stand-in GPU");
            Intervals windows = DeviceWindows.of(timeline).orElseThrow();
            assertThat(windows.count()).isEqualTo(1);
            assertThat(windows.startNs(0)).isLessThan(timeline.startNs(rows(timeline, RowKind.KERNEL)[0]));
            assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
        });
    }

    @Test
    void onlyWindowsAreRecordedWhereTheyAreAskedFor() throws Exception {
        judge(() -> {
            Timeline timeline = record(
                    13,
                    windows(0, 500, 1200),
                    "until:1",
                    "launch:50",
                    "until:0",
                    "launch:70",
                    "until:1",
                    "launch:30",
                    "until:0",
                    "launch:90",
                    "until:1",
                    "launch:20",
                    "flushes:2");
            Intervals windows = DeviceWindows.of(timeline).orElseThrow();
            assertThat(windows.count()).isGreaterThanOrEqualTo(3);
            assertThat((windows.startNs(1) - windows.startNs(0)) % 1_200_000_000)
                    .isZero();
            assertThat(rows(timeline, RowKind.KERNEL)).hasSize(100);
            assertThat(timeline.properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
            assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
        });
    }

    @Test
    void aProfilerOfTheProgramIsLeftAloneByWindows() throws Exception {
        judge(() -> {
            Map<String, String> environment = windows(0, 300, 600);
            Ended ended =
                    StubCuda.run(spools, 12, environment, "launch:50", "sleep:200", "profiled:70:1500", "launch:30");
            assertThat(ended.exitCode()).isZero();
            assertThat(ended.out()).startsWith("profiler: 70 kernels, 0 foreign buffers, 0 foreign flushes");
        });
    }

    @Test
    void aWindowTakesNoRecordsFromAProfilerThatItWasNotToldOf() throws Exception {
        judge(() -> {
            Map<String, String> environment = windows(0, 300, 1000);
            Ended ended = StubCuda.run(
                    spools, 13, environment, "until:1", "launch:5", "until:0", "profile:70:1200", "launch:30");
            assertThat(ended.exitCode()).isZero();
            assertThat(ended.out()).startsWith("profiler: 70 kernels, 0 foreign buffers, 0 foreign flushes");
            assertThat(rows(CoreFormats.load(spools), RowKind.KERNEL)).hasSize(5);
        });
    }

    @Test
    void theNewestRecordsStayWhereThatIsAskedFor() throws Exception {
        Map<String, String> environment =
                Map.of("INFERSCOPE_GPU_KEEP", "newest", "INFERSCOPE_SPOOL_MAX_BYTES", "2000000");
        Timeline timeline =
                record(13, environment, "range:1", "sync:1", "varied:200000", "sleep:300", "sync:3", "range:4");
        List<Path> files = files();
        assertThat(files).hasSize(2);
        long bytes = 0;
        for (Path file : files) {
            bytes += Files.size(file);
        }
        assertThat(bytes).isBetween(500_000L, 2_000_000L);
        assertThat(rows(timeline, RowKind.DEVICE_SYNC)).hasSize(3);
        assertThat(count(timeline, RowKind.KERNEL)).isBetween(5_000L, 30_000L);
        for (int kernel : rows(timeline, RowKind.KERNEL)) {
            assertThat(timeline.name(kernel)).isNotEmpty();
            assertThat(timeline.attributeText(kernel, Attribute.DETAIL)).isNotEmpty();
        }
        for (int call : rows(timeline, RowKind.RUNTIME_CALL)) {
            assertThat(timeline.name(call)).startsWith("cuda");
        }
        assertThat(timeline.properties()).containsEntry("device.0.name", "Stand-in GPU");
        assertThat(timeline.properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
        Intervals windows = DeviceWindows.of(timeline).orElseThrow();
        assertThat(windows.count()).isEqualTo(1);
        assertThat(windows.startNs(0)).isGreaterThan(timeline.startNs(0) - 1_000_000_000);
        assertThat(timeline.info().overheads()).hasSize(2);
    }

    @Test
    void aCopyCarriesItsBytesAndKindsOfMemory() throws Exception {
        Timeline timeline = record(13, "copy:1", "peer:1");
        int copy = rows(timeline, RowKind.MEMCPY_H2D)[0];
        assertThat(timeline.name(copy)).isEqualTo("Memcpy HtoD (Pageable -> Device)");
        assertThat(timeline.attribute(copy, Attribute.SIZE_BYTES)).isEqualTo(4096);
        assertThat(timeline.attributeText(copy, Attribute.MEMORY_KINDS)).isEqualTo("Pageable -> Device");
        assertThat(timeline.name(rows(timeline, RowKind.MEMCPY_P2P)[0])).isEqualTo("Memcpy PtoP (Device -> Device)");
    }

    @Test
    void theWaitForAnEventLeadsFromTheStreamThatRecordedIt() throws Exception {
        Timeline timeline = record(13, "copy:1", "event:1", "launch:2");
        int link = IntStream.range(0, timeline.links().count())
                .filter(i -> timeline.links().kind(i) == LinkKind.EVENT_WAIT)
                .findFirst()
                .orElseThrow();
        assertThat(timeline.kind(timeline.links().fromRow(link))).isEqualTo(RowKind.MEMCPY_H2D);
        int released = timeline.links().toRow(link);
        assertThat(timeline.kind(released)).isEqualTo(RowKind.KERNEL);
        assertThat(timeline.tracks().get(timeline.track(released)).name()).isEqualTo("stream 8");
    }

    @Test
    void callsLieOnTheirKernelThread() throws Exception {
        Process process =
                StubCuda.builder(spools, 13, Map.of(), "launch:10", "sleep:400").start();
        assertThat(process.waitFor()).isZero();
        Timeline timeline = CoreFormats.load(spools);
        for (int call : rows(timeline, RowKind.RUNTIME_CALL)) {
            assertThat(timeline.tracks().get(timeline.track(call)).key()).isEqualTo(Long.toString(process.pid()));
        }
    }

    @Test
    void aThreadThatEndedAtOnceIsNotTakenForAnother() throws Exception {
        Timeline timeline = record(13, "launch:1", "thread:5", "flushes:2");
        int[] calls = rows(timeline, RowKind.RUNTIME_CALL);
        assertThat(calls).hasSize(6);
        // A flush may have come while it lived: then it is known by its id.
        assertThat(IntStream.of(calls).filter(call -> timeline.track(call) != timeline.track(calls[0])))
                .hasSize(5);
    }

    @Test
    void anExternalIdStandsAtTheCallThatItNames() throws Exception {
        Timeline timeline = record(13, "external:4711");
        assertThat(timeline.attribute(rows(timeline, RowKind.RUNTIME_CALL)[0], Attribute.SEQUENCE))
                .isEqualTo(4711);
    }

    @ParameterizedTest
    @ValueSource(strings = {"launch", "varied"})
    void aMillionRecordsAreAllThereInAtMost64BytesEach(String step) throws Exception {
        judge(() -> {
            Path said = spools.resolve("cost");
            Map<String, String> environment =
                    Map.of("INFERSCOPE_SPOOL_MAX_BYTES", "200000000", "STUB_COST", said.toString());
            Ended ended = StubCuda.run(spools, 13, environment, step + ":500000");
            assertThat(ended.exitCode()).isZero();
            Timeline timeline = CoreFormats.load(spools);
            assertThat(rows(timeline, RowKind.KERNEL)).hasSize(500_000);
            assertThat(rows(timeline, RowKind.RUNTIME_CALL)).hasSize(500_000);
            assertThat(timeline.importStats().entries()).isEmpty();
            assertThat(Files.size(files().get(0)) / 1_000_000).isLessThanOrEqualTo(64);
            var cost = timeline.info().overheads().get(0);
            List<String> callback = Files.readAllLines(said);
            double callbackNs = Double.parseDouble(callback.get(0)) / Long.parseLong(callback.get(1));
            double allNs = (double) cost.cpuNs() / cost.events();
            System.out.printf(
                    "agent, %s: %s records, %.0f ns of CPU each in CUPTI's callback and %.0f beside it, %d bytes each%n",
                    step,
                    callback.get(1),
                    callbackNs,
                    Math.max(0, allNs - callbackNs),
                    Files.size(files().get(0)) / cost.events());
            assertThat(callbackNs).isLessThanOrEqualTo(100); // CPU time.
        });
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(spools)) {
            return files.filter(file -> file.toString().endsWith(".spool"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fork", "spawn", "exec"})
    void childrenHaveSpoolsOfTheirOwnAndLeaveTheParentsAlone(String step) throws Exception {
        Ended ended = StubCuda.run(spools, 13, Map.of(), "launch:40", "flushes:2", step, "launch:2");
        assertThat(ended.exitCode()).isZero();
        Timeline timeline = CoreFormats.load(spools);
        int expected = step.equals("fork") ? 42 : step.equals("spawn") ? 42 + 25 : 40 + 25;
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(expected);
        assertThat(files()).hasSize(step.equals("fork") ? 1 : 2);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
    }

    @Test
    void whatItsStartAndItsEndTakeOfTheProgramIsCountedAndNamed() throws Exception {
        Timeline timeline = record(13, Map.of("STUB_SLOW", "60"), "launch:5");
        int[] held = IntStream.of(rows(timeline, RowKind.ANNOTATION))
                .filter(row -> isRecorders(timeline, row))
                .toArray();
        assertThat(IntStream.of(held).mapToObj(timeline::name))
                .containsExactly("inferscope agent start", "inferscope agent end");
        assertThat(IntStream.of(held).map(timeline::track).distinct()).hasSize(1);
        assertThat(timeline.track(held[0])).isEqualTo(timeline.track(rows(timeline, RowKind.RUNTIME_CALL)[0]));
        assertThat(timeline.durationNs(held[1])).isGreaterThan(60_000_000);
        assertThat(timeline.info().overheads().get(0).heldUpNs())
                .isEqualTo(timeline.durationNs(held[0]) + timeline.durationNs(held[1]));
    }

    @Test
    void signalsAtTheEndDoNotCutTheRecordingShort() throws Exception {
        Timeline timeline = record(13, Map.of("STUB_SLOW", "60"), "launch:40", "alarm");
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(40);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 12, 13})
    void workAtExitAfterTheAgentsEndIsNotAskedFor(int generation) throws Exception {
        Timeline timeline = record(generation, "atexit:30", "launch:40");
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(40);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
    }

    @Test
    void aHundredThreadsAtOnceLoseNothing() throws Exception {
        Timeline timeline = record(13, "threads:100:50");
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(5_000);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void rangesBeforeCudaIsInUseWaitForTheLibraryThatFits() throws Exception {
        Path handedOver = spools.resolve("nvtx");
        Ended ended = StubCuda.run(spools, 12, Map.of("STUB_NVTX", handedOver.toString()), "nvtx", "launch:1");
        assertThat(ended.out()).startsWith("nvtx: 1");
        assertThat(handedOver).hasContent("generation 12");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit:3", "abort"})
    void theProgramEndsAsItWould(String step) throws Exception {
        Ended ended = StubCuda.run(spools, 13, Map.of(), "launch:40", "flushes:2", step);
        assertThat(ended.exitCode()).isEqualTo(step.equals("abort") ? 128 + 6 : 3);
        assertThat(rows(CoreFormats.load(spools), RowKind.KERNEL)).hasSize(40);
    }
}
