package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RecordingPace;
import io.inferscope.timeline.RecordingPace.Detail;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.spool.StubCuda;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Launches that preloaded hooks record instead of CUPTI, over a simulated device, in a program that gets the driver's functions as the runtime does. */
@Tag("process")
@Tag("native")
class CudaLaunchesTest {
    /** What a hook may take, of the pairs the median. */
    private static final double MOST_NS = 60;

    @TempDir
    Path spools;

    private String out = "";

    @BeforeAll
    static void build() throws Exception {
        StubCuda.prepare();
    }

    private int run(Map<String, String> environment, String... steps) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(Stream.concat(Stream.of(StubCuda.launching().toString()), Stream.of(steps))
                        .toList());
        builder.environment().keySet().removeIf(name -> name.startsWith("INFERSCOPE_") || name.startsWith("CUDA_"));
        builder.environment().put("INFERSCOPE_SPOOL_DIR", spools.toString());
        builder.environment().put("CUDA_INJECTION64_PATH", StubCuda.AGENT.toString());
        builder.environment().put("LD_LIBRARY_PATH", StubCuda.simulated());
        builder.environment().put("LD_PRELOAD", StubCuda.HOOKS.toString());
        builder.environment().put("INFERSCOPE_GPU_DETAIL", "launches");
        builder.environment().put("STUB_KERNEL_NS", "2000");
        builder.environment().putAll(environment);
        Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor();
    }

    private Timeline record(String... steps) throws Exception {
        assertThat(run(Map.of(), steps)).isZero();
        return CoreFormats.load(spools);
    }

    private static List<Integer> rows(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .boxed()
                .toList();
    }

    /** By operation its launch. */
    private static Map<Integer, Integer> launches(Timeline timeline) {
        Map<Integer, Integer> launches = new HashMap<>();
        Links links = timeline.links();
        for (int i = 0; i < links.count(); i++) {
            if (links.kind(i) == LinkKind.LAUNCH || links.kind(i) == LinkKind.GRAPH_REPLAY) {
                launches.put(links.toRow(i), links.fromRow(i));
            }
        }
        return launches;
    }

    /** CUPTI's ids of operations grow with their launches, which the hooks do not know. */
    private static void assertInOrder(Timeline timeline, RowKind kind) {
        Map<Integer, Integer> launches = launches(timeline);
        List<Integer> operations = rows(timeline, kind).stream()
                .sorted((a, b) -> Long.compare(timeline.correlation(a), timeline.correlation(b)))
                .toList();
        for (int i = 0; i < operations.size(); i++) {
            Integer launch = launches.get(operations.get(i));
            assertThat(launch)
                    .as("launch of %s", timeline.name(operations.get(i)))
                    .isNotNull();
            if (i > 0) {
                assertThat(timeline.startNs(launch))
                        .isGreaterThanOrEqualTo(timeline.startNs(launches.get(operations.get(i - 1))));
            }
        }
    }

    private static List<Coverage> launchCoverage(Timeline timeline) {
        return timeline.info().coverage().stream()
                .filter(one -> one.source().contains("launches"))
                .toList();
    }

    @Test
    void everyOperationHasItsLaunchAndCuptiRecordsNoCall() throws Exception {
        Timeline timeline = record("kernels:5000", "copies:50", "fills:20", "sync");

        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(5000);
        assertThat(rows(timeline, RowKind.RUNTIME_CALL)).isEmpty();
        assertThat(rows(timeline, RowKind.DRIVER_CALL).stream()
                        .map(timeline::name)
                        .distinct())
                .containsExactlyInAnyOrder(
                        "cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuMemsetD8Async", "cuStreamSynchronize");
        assertInOrder(timeline, RowKind.KERNEL);
        assertInOrder(timeline, RowKind.MEMCPY_H2D);
        assertInOrder(timeline, RowKind.MEMSET);
        assertThat(launchCoverage(timeline)).singleElement().satisfies(one -> {
            assertThat(one.recorded()).isEqualTo(5070);
            assertThat(one.missing()).isZero();
        });
    }

    @Test
    void threadsWithTheirOwnDefaultStreamHaveTheirOwnLaunches() throws Exception {
        Timeline timeline = record("own:8:500");
        Map<Integer, Integer> launches = launches(timeline);
        Map<String, Integer> threadOf = new HashMap<>();

        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(4000).allMatch(launches::containsKey);
        rows(timeline, RowKind.KERNEL)
                .forEach(kernel -> assertThat(threadOf.merge(
                                timeline.name(kernel),
                                timeline.track(launches.get(kernel)),
                                (a, b) -> a.equals(b) ? a : -1))
                        .isNotEqualTo(-1));
        assertThat(threadOf.values().stream().distinct()).hasSize(8);
    }

    @Test
    void threadsOnOneStreamNeverGetEachOthersLaunches() throws Exception {
        Timeline timeline = record("shared:4:500");
        Map<Integer, Integer> launches = launches(timeline);
        Map<String, Integer> threadOf = new HashMap<>();

        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(2000);
        assertThat(rows(timeline, RowKind.KERNEL).stream()
                        .filter(launches::containsKey)
                        .count())
                .isPositive();
        rows(timeline, RowKind.KERNEL).stream()
                .filter(launches::containsKey)
                .forEach(kernel -> assertThat(threadOf.merge(
                                timeline.name(kernel),
                                timeline.track(launches.get(kernel)),
                                (a, b) -> a.equals(b) ? a : -1))
                        .isNotEqualTo(-1));
    }

    @Test
    void replaysOfGraphsHaveTheirLaunchAndCapturesHaveNone() throws Exception {
        Timeline timeline = record("kernels:10", "graph:50:30", "graph:20:7", "kernels:10");

        assertThat(rows(timeline, RowKind.GRAPH_LAUNCH)).hasSize(70);
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(20 + 50 * 30 + 20 * 7);
        assertThat(rows(timeline, RowKind.DRIVER_CALL)).hasSize(20);
        assertInOrder(timeline, RowKind.KERNEL);
    }

    @Test
    void streamsThatReuseAHandleAreToldApart() throws Exception {
        Timeline timeline = record("streams:200");
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(600);
        assertInOrder(timeline, RowKind.KERNEL);
    }

    @Test
    void aSignalsHandlerMayLaunchInTheMiddleOfAHook() throws Exception {
        quickly("counting", "signals:20000000", "counted");
        String[] said = out.strip().split("\\s");
        assertThat(Long.parseLong(said[1])).isPositive();
        assertThat(Long.parseLong(said[2])).isEqualTo(Long.parseLong(said[0]) + Long.parseLong(said[1]));
        assertThat(said[3]).isEqualTo(said[2]);
    }

    /** Those beyond the 64 that have counters of their own share one. */
    @Test
    void noLaunchOfManyThreadsIsCountedTwiceOrMissed() throws Exception {
        quickly("counting", "shared:100:20000", "fork:1000", "counted");
        assertThat(out.strip()).isEqualTo("2000000");
    }

    /** Runs steps over a driver whose calls take no time, without the agent. */
    private void quickly(String... steps) throws Exception {
        assertThat(run(Map.of("LD_LIBRARY_PATH", StubCuda.quick(), "INFERSCOPE_SPOOL_DIR", ""), steps))
                .isZero();
    }

    @Test
    void aForkedChildLaunchesUnrecorded() throws Exception {
        Timeline timeline = record("kernels:100", "fork:50", "kernels:100");
        assertThat(rows(timeline, RowKind.DRIVER_CALL)).hasSize(200);
        assertInOrder(timeline, RowKind.KERNEL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit:3", "_exit:3", "abort", "atexit:40"})
    void programsEndAsWithoutHooks(String end) throws Exception {
        int code = run(Map.of("LD_PRELOAD", "", "INFERSCOPE_GPU_DETAIL", "full"), "kernels:100", end);
        assertThat(run(Map.of(), "kernels:100", end)).isEqualTo(code);
    }

    @Test
    void withoutTheHooksKernelsAreRecordedAndTheReasonIsGiven() throws Exception {
        assertThat(run(Map.of("LD_PRELOAD", ""), "kernels:100")).isZero();
        Timeline timeline = CoreFormats.load(spools);
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(100);
        assertThat(timeline.info().coverage()).anyMatch(one -> one.why().contains("their hooks were not preloaded"));
    }

    @Test
    void kernelsAloneHaveNoCalls() throws Exception {
        assertThat(run(Map.of("INFERSCOPE_GPU_DETAIL", "kernels"), "kernels:100", "copies:5"))
                .isZero();
        Timeline timeline = CoreFormats.load(spools);
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(100);
        assertThat(rows(timeline, RowKind.MEMCPY_H2D)).hasSize(5);
        assertThat(rows(timeline, RowKind.DRIVER_CALL)).isEmpty();
    }

    private Timeline chosen(Map<String, String> more, String... steps) throws Exception {
        Map<String, String> variables = new HashMap<>(Map.of("LD_PRELOAD", "", "INFERSCOPE_GPU_DETAIL", "calls"));
        variables.putAll(more);
        assertThat(run(variables, steps)).isZero();
        return CoreFormats.load(spools);
    }

    /** By CUPTI's switches of single calls, over its first interface and over that for several subscribers. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void callsThatLaunchAreRecordedAlone(String several) throws Exception {
        Timeline timeline = chosen(
                Map.of("STUB_SEVERAL", several, "STUB_DRIVER", "13030"),
                "kernels:500",
                "graph:20:30",
                "copies:50",
                "fills:20",
                "sync",
                "queries:100",
                "sleep:1500",
                "kernels:10");
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(510 + 600);
        assertThat(rows(timeline, RowKind.KERNEL)).allMatch(launches(timeline)::containsKey);
        assertThat(rows(timeline, RowKind.GRAPH_LAUNCH)).hasSize(20);
        assertThat(rows(timeline, RowKind.RUNTIME_CALL)).isEmpty();
        assertThat(rows(timeline, RowKind.DEVICE_SYNC)).isEmpty();
        assertThat(rows(timeline, RowKind.DRIVER_CALL).stream()
                        .map(timeline::name)
                        .distinct())
                .containsExactlyInAnyOrder(
                        "cuLaunchKernel", "cuMemcpy2DAsync_v2", "cuMemsetD8Async", "cuStreamSynchronize");
        assertInOrder(timeline, RowKind.KERNEL);
        assertThat(timeline.properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
        assertThat(timeline.info().coverage()).noneMatch(one -> one.why().contains("calls are recorded"));
    }

    @ParameterizedTest
    @CsvSource({
        "STUB_SWITCHES, 27, or refused one",
        "INFERSCOPE_GPU_WINDOWS, 0 0 0 0, only from before the first CUDA call on",
    })
    void whereSingleCallsCannotBeRecordedAllAre(String variable, String value, String why) throws Exception {
        Timeline timeline = chosen(Map.of(variable, value), "kernels:100", "events:20");
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(100).allMatch(launches(timeline)::containsKey);
        assertThat(rows(timeline, RowKind.DRIVER_CALL).stream().map(timeline::name))
                .contains("cuEventRecord");
        assertThat(timeline.info().coverage())
                .anyMatch(one -> one.why().contains("all calls are recorded: ")
                        && one.why().contains(why));
    }

    @Test
    void whereSwitchesOfSingleCallsDoNothingAllCallsAreRecordedSoonAfter() throws Exception {
        Timeline timeline = chosen(Map.of("STUB_SWITCHES", "1"), "loop:4000:500");
        Map<Integer, Integer> launches = launches(timeline);
        List<Integer> kernels = rows(timeline, RowKind.KERNEL);
        assertThat(launches.get(kernels.get(0))).isNull();
        assertThat(launches.get(kernels.get(kernels.size() - 1))).isNotNull();
        assertThat(timeline.info().coverage()).anyMatch(one -> one.why().contains("accepted switches of single calls"));
    }

    private Timeline withHostFunctions(String api, String... steps) throws Exception {
        Map<String, String> variables = Map.of(
                "INFERSCOPE_GPU_DETAIL",
                "full",
                "INFERSCOPE_GPU_HOST_FUNCTIONS",
                "1",
                "STUB_API",
                api,
                "LD_PRELOAD",
                "");
        assertThat(run(variables, steps)).isZero();
        return CoreFormats.load(spools);
    }

    /** Each holds its stream up for 2 ms, and the kernel behind it was launched before it began. */
    @Test
    void functionsOfTheHostInStreamsAndGraphsAreRecordedOnTheirThread() throws Exception {
        Timeline timeline = withHostFunctions("130101", "host:20", "hostgraph:10", "sleep:500");
        List<Integer> functions = rows(timeline, RowKind.HOST_FUNCTION);
        assertThat(functions).hasSize(30);
        assertThat(functions.stream().filter(row -> timeline.name(row).endsWith("CUDA graph")))
                .hasSize(10);
        List<Integer> calling = rows(timeline, RowKind.DRIVER_CALL);
        assertThat(functions)
                .noneMatch(row -> timeline.track(row) == timeline.track(calling.get(0)))
                .allMatch(row -> timeline.durationNs(row) >= 1_900_000);
        assertThat(functions.stream().map(timeline::track).distinct()).hasSize(30);
        List<Integer> held = rows(timeline, RowKind.KERNEL).stream()
                .filter(row -> !timeline.links().hostFunctionsBefore(row).isEmpty())
                .toList();
        assertThat(held).hasSize(30).allMatch(row -> timeline.name(row).equals("kernel_1"));
    }

    @Test
    void olderVersionsDoNotRecordFunctionsOfTheHostAndTheReportSaysSo() throws Exception {
        Timeline timeline = withHostFunctions("130001", "host:5");
        assertThat(rows(timeline, RowKind.HOST_FUNCTION)).isEmpty();
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(10);
        assertThat(timeline.info().coverage())
                .anyMatch(one -> one.why().contains("functions of the host that streams run"));
    }

    private static List<String> defects(Timeline timeline) {
        return timeline.info().coverage().stream()
                .map(Coverage::source)
                .filter(one -> one.startsWith("libcupti: "))
                .map(one -> one.substring(10))
                .toList();
    }

    /** The stand-in's stamps are invalid from the 900th kernel of a graph on; recording ends after 600, which is above the limit of 500. */
    @Test
    void kernelsAloneAreRecordedUntilStampsAreKnownToBreak() throws Exception {
        Map<String, String> broken = Map.of(
                "INFERSCOPE_GPU_DETAIL",
                "kernels",
                "STUB_INVALID",
                "900",
                "STUB_API",
                "130001",
                "INFERSCOPE_GPU_GRAPH_LIMIT",
                "130000 130100 500");
        assertThat(run(broken, "graph:20:30", "sleep:700", "graph:40:30")).isZero();
        Timeline timeline = CoreFormats.load(spools);
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(600);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
        assertThat(timeline.info().coverage())
                .anyMatch(one -> one.why().contains("recording ended after 600 kernels of graphs"));
        assertThat(defects(timeline)).containsExactly("graph-stamps");
    }

    @Test
    void invalidStampsOfAVersionThatIsNotKnownForThemAreDroppedAndCounted() throws Exception {
        Map<String, String> broken = Map.of(
                "INFERSCOPE_GPU_DETAIL",
                "kernels",
                "STUB_INVALID",
                "900",
                "STUB_API",
                "130101",
                "INFERSCOPE_GPU_GRAPH_LIMIT",
                "130000 130100 500");
        assertThat(run(broken, "graph:20:30", "sleep:700", "graph:40:30")).isZero();
        Timeline timeline = CoreFormats.load(spools);
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(899);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isEqualTo(901);
    }

    /** Invalid stamps in the six ways of STUB_HOW. None is a kernel at another time, whatever is known of the version. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void kernelsWithInvalidStampsAreLeftOutAndNotBlamedOnAnotherProfiler(int how) throws Exception {
        Map<String, String> broken = Map.of(
                "INFERSCOPE_GPU_DETAIL", "full", "STUB_INVALID", "600", "STUB_HOW", "" + how, "STUB_API", "130101");
        assertThat(run(broken, "graph:20:30", "sleep:700", "graph:20:30")).isZero();
        Timeline timeline = CoreFormats.load(spools);
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(599);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isEqualTo(601);
        Stream<String> said = timeline.info().coverage().stream().map(Coverage::why);
        if (how == 0) { // Such a record has a time, and counts as an event that is damaged.
            assertThat(said).noneMatch(why -> why.contains("another profiler"));
        } else {
            assertThat(said)
                    .anyMatch(why -> why.contains("the stamps of device work that libcupti made are invalid, while"));
            assertThat(timeline.properties()).containsKey("inferscope.device_stamps_invalid");
        }
    }

    /** As reported of torch.profiler: the first kernels after records were turned on for the k-th time, k of them. */
    @Test
    void theFirstKernelsOfEachWindowThatAreInvalidAreLeftOut() throws Exception {
        judge(() -> {
            String windows = System.nanoTime() + " 0 200000000 400000000";
            assertThat(run(
                            Map.of(
                                    "INFERSCOPE_GPU_DETAIL",
                                    "full",
                                    "STUB_FIRST",
                                    "1",
                                    "INFERSCOPE_GPU_WINDOWS",
                                    windows),
                            "loop:1500:2000"))
                    .isZero();
            Timeline timeline = CoreFormats.load(spools);
            int count = DeviceWindows.of(timeline).orElseThrow().count();
            assertThat(count).isGreaterThan(2);
            assertThat(timeline.importStats().count(Effect.DROPPED))
                    .isBetween((count - 1L) * count / 2, (count + 1L) * count / 2);
            assertThat(rows(timeline, RowKind.KERNEL)).isNotEmpty();
        });
    }

    /** As of CUPTI before 13.1 Update 1. */
    @Test
    void replaysThatHaveOneIdOnceRecordsWereOffBelongToTheLastLaunchBeforeThem() throws Exception {
        judge(() -> {
            String windows = System.nanoTime() + " 0 200000000 300000000";
            Map<String, String> shared = Map.of(
                    "INFERSCOPE_GPU_DETAIL",
                    "full",
                    "STUB_ONE_ID",
                    "1",
                    "STUB_API",
                    "130001",
                    "INFERSCOPE_GPU_WINDOWS",
                    windows);
            String[] steps = Stream.generate(() -> List.of("graph:1:5", "sync", "sleep:10"))
                    .limit(90)
                    .flatMap(List::stream)
                    .toArray(String[]::new);
            assertThat(run(shared, steps)).isZero();
            Timeline timeline = CoreFormats.load(spools);
            assertThat(defects(timeline)).contains("graph-ids");
            assertThat(timeline.info().coverage()).anyMatch(one -> one.source().equals("CUDA graph launches"));
            Map<Integer, Integer> launches = launches(timeline);
            List<Integer> kernels = rows(timeline, RowKind.KERNEL);
            long near = kernels.stream()
                    .filter(launches::containsKey)
                    .filter(row -> timeline.startNs(row) - timeline.startNs(launches.get(row)) < 5_000_000)
                    .count();
            assertThat(near).isGreaterThan(kernels.size() * 9L / 10);
        });
    }

    /** As of CUPTI 13.0: the host's wait is known from the call, and the coverage names the defect. */
    @Test
    void waitsWithoutARecordOfTheirOwnAreKnownFromTheirCalls() throws Exception {
        Map<String, String> silent = Map.of(
                "INFERSCOPE_GPU_DETAIL",
                "full",
                "STUB_NO_WAITS",
                "1",
                "STUB_API",
                "130000",
                "STUB_KERNEL_NS",
                "2000000");
        assertThat(run(silent, "kernels:10", "sync")).isZero();
        Timeline timeline = CoreFormats.load(spools);
        assertThat(rows(timeline, RowKind.DEVICE_SYNC)).isEmpty();
        assertThat(rows(timeline, RowKind.DRIVER_CALL).stream().map(timeline::name))
                .contains("cuStreamSynchronize");
        assertThat(defects(timeline)).containsExactly("no-device-waits");
    }

    @ParameterizedTest
    @CsvSource({"130000, no-device-waits", "130200, slow-calls", "130300, ''", "130401, ''"})
    void defectsThatEachRecordingOfAVersionHasAreNamed(String api, String defect) throws Exception {
        assertThat(run(Map.of("INFERSCOPE_GPU_DETAIL", "full", "STUB_API", api), "kernels:10"))
                .isZero();
        assertThat(defects(CoreFormats.load(spools))).isEqualTo(defect.isEmpty() ? List.of() : List.of(defect));
    }

    /** A launch takes 50 us of the thread, and with records of calls or of work so much more. */
    private Timeline adapted(String callNs, String workNs, String limit, int milliseconds) throws Exception {
        return adapted(callNs, workNs, limit, "loop:" + milliseconds + ":50");
    }

    private Timeline adapted(String callNs, String workNs, String limit, String step) throws Exception {
        return adapted(callNs, workNs, limit, step, Map.of());
    }

    private Timeline adapted(String callNs, String workNs, String limit, String step, Map<String, String> more)
            throws Exception {
        Map<String, String> variables = new HashMap<>(Map.of(
                "INFERSCOPE_GPU_DETAIL",
                "auto",
                "INFERSCOPE_GPU_OVERHEAD",
                limit,
                "STUB_CALL_NS",
                callNs,
                "STUB_WORK_NS",
                workNs));
        variables.put("INFERSCOPE_GPU_WINDOWS", System.nanoTime() + " 0 200000000 400000000");
        variables.putAll(more);
        assertThat(run(variables, step)).isZero();
        return CoreFormats.load(spools);
    }

    private static List<Detail> details(Timeline timeline) {
        return RecordingPace.of(timeline).stream()
                .map(RecordingPace::detail)
                .filter(detail -> detail != Detail.OFF)
                .distinct()
                .toList();
    }

    private void judge(QuietMachine.Step attempt) throws Exception {
        QuietMachine.judge(spools, folder -> {
            spools = folder;
            attempt.run();
        });
    }

    /** As of CUPTI 13.2: the first recorded calls cost 20 ns and more, those after a thousand 20 us. */
    @Test
    void aLibcuptiWhoseCallsGetSlowerIsNamedAndRecordsLess() throws Exception {
        judge(() -> {
            Timeline timeline =
                    adapted("0", "0", "5000", "loop:4000:50", Map.of("STUB_SLOWER_NS", "20", "STUB_API", "130200"));
            assertThat(details(timeline)).containsExactly(Detail.FULL, Detail.LAUNCHES);
            assertThat(defects(timeline)).contains("slow-calls");
        });
    }

    /** As of CUPTI before 13.4 Update 1: the n-th flush takes n times 2 ms. What the agent's thread takes is stated. */
    @Test
    void cpuTimeThatLibcuptiTakesMoreAndMoreOfIsStated() throws Exception {
        Map<String, String> growing = Map.of("INFERSCOPE_GPU_DETAIL", "full", "STUB_FLUSH_US", "2000");
        assertThat(run(growing, "kernels:10", "sleep:2500")).isZero();
        assertThat(CoreFormats.load(spools).info().overheads()).anySatisfy(one -> {
            assertThat(one.recorder()).isEqualTo("cuda-agent");
            assertThat(one.cpuNs()).isGreaterThan(2_000_000L * 5 * 6 / 2);
        });
    }

    @Test
    void lessIsRecordedOnceAllOfItTakesMoreThanItMay() throws Exception {
        judge(() -> {
            Timeline timeline = adapted("100000", "0", "5000", 4000);
            assertThat(details(timeline)).containsExactly(Detail.FULL, Detail.LAUNCHES);
            assertThat(timeline.info().coverage())
                    .anyMatch(one -> one.why().contains("while everything was recorded, more than --overhead permits"));
            Map<Integer, Integer> launches = launches(timeline);
            List<Integer> kernels = rows(timeline, RowKind.KERNEL);
            RecordingPace first = RecordingPace.of(timeline).stream()
                    .filter(pace -> pace.detail() == Detail.LAUNCHES)
                    .findFirst()
                    .orElseThrow();
            List<Integer> later = kernels.stream()
                    .filter(row -> timeline.startNs(row) >= first.startNs())
                    .toList();
            assertThat(later).isNotEmpty().hasSizeLessThan(kernels.size());
            assertThat(later.stream().filter(launches::containsKey).count()).isGreaterThan(later.size() * 99L / 100);
            assertThat(kernels.stream().filter(launches::containsKey).count())
                    .isGreaterThan(kernels.size() * 99L / 100);
            assertThat(timeline.properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
        });
    }

    /**
     * A request takes 1 ms of each 20, and 3 ms while everything is recorded: it comes as often. Hooks and agent count by a
     * clock that stands still while the program waits for a CPU, so that it does not matter what else the machine does. The
     * limit of 150 % is above what other programs do to the time from request to request.
     */
    @Test
    void aServerWithFewRequestsIsRecordedInLessDetailToo() throws Exception {
        Timeline timeline = adapted(
                "100000",
                "0",
                "15000",
                "server:5000:50",
                Map.of(
                        "LD_PRELOAD",
                        StubCuda.calm("libcalm.so") + ":" + StubCuda.calm("libinferscope-launches.so"),
                        "CUDA_INJECTION64_PATH",
                        StubCuda.calm("libinferscope-agent.so").toString()));
        assertThat(details(timeline))
                .as("%s", RecordingPace.of(timeline))
                .containsExactly(Detail.FULL, Detail.LAUNCHES);
        assertThat(timeline.info().coverage())
                .anyMatch(one -> one.why().contains("longer, without the program's pauses of more than 1 ms, while"));
        assertThat(RecordingPace.of(timeline))
                .anyMatch(pace -> pace.busyNs() > 0 && pace.busyNs() < pace.lengthNs() / 2);
    }

    @Test
    void aServerThatRecordingHardlySlowsIsRecordedInFull() throws Exception {
        judge(() -> assertThat(details(adapted("2000", "0", "10000", "server:4000:50")))
                .containsExactly(Detail.FULL));
    }

    @Test
    void nothingIsRecordedOnceKernelsAloneTakeMoreThanTheyMay() throws Exception {
        judge(() -> {
            Timeline timeline = adapted("0", "200000", "5000", 8000);
            assertThat(details(timeline)).containsExactly(Detail.FULL, Detail.LAUNCHES, Detail.KERNELS);
            assertThat(timeline.info().coverage())
                    .anyMatch(one -> one.why().contains("recording of device work ended: launches took"));
            Intervals windows = DeviceWindows.of(timeline).orElseThrow();
            assertThat(rows(timeline, RowKind.KERNEL))
                    .allMatch(row -> timeline.startNs(row) < windows.endNs(windows.count() - 1) + 50_000_000L);
            assertThat(timeline.properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
        });
    }

    @Test
    void everythingIsRecordedToTheEndWhereItTakesLessThanItMay() throws Exception {
        judge(() -> assertThat(details(adapted("5000", "0", "10000", 4000))).containsExactly(Detail.FULL));
    }

    @Test
    void withoutHooksEverythingIsRecordedAndTheReasonIsGiven() throws Exception {
        assertThat(run(
                        Map.of(
                                "LD_PRELOAD",
                                "",
                                "INFERSCOPE_GPU_DETAIL",
                                "auto",
                                "INFERSCOPE_GPU_OVERHEAD",
                                "100",
                                "INFERSCOPE_GPU_WINDOWS",
                                System.nanoTime() + " 0 60000000000 120000000000"),
                        "kernels:100"))
                .isZero();
        Timeline timeline = CoreFormats.load(spools);
        assertThat(rows(timeline, RowKind.DRIVER_CALL)).hasSizeGreaterThanOrEqualTo(100);
        assertThat(RecordingPace.of(timeline)).isEmpty();
        assertThat(timeline.info().coverage())
                .anyMatch(one -> one.why().contains("everything is recorded whatever it costs"));
    }

    @Test
    void othersNamesAreFoundAsTheCallerMeansThem() throws Exception {
        assertThat(run(Map.of(), "next")).isZero();
        String with = out;
        assertThat(with).contains("/libc.so.6 1");
        assertThat(run(Map.of("LD_PRELOAD", ""), "next")).isZero();
        assertThat(out.split(" ")[0]).isEqualTo(with.split(" ")[0]);
    }

    /** CPU time of the calling thread over a driver whose calls take none, hooks off and on in turn. Work on the core's other thread makes it longer. */
    @Test
    void aHookTakesAtMostSixtyNanoseconds() throws Exception {
        judge(() -> {
            quickly("bench:2000000");
            List<Double> added = out.lines()
                    .map(line -> line.split(" "))
                    .map(pair -> Double.parseDouble(pair[1]) - Double.parseDouble(pair[0]))
                    .sorted()
                    .toList();
            System.out.println("ns a hooked call: " + added);
            assertThat(added).hasSize(5);
            assertThat(added.get(2)).isLessThan(MOST_NS);
            assertThat(out.lines().reduce((a, b) -> b).orElseThrow()).endsWith(" 10000000");
        });
    }
}
