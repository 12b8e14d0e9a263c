package io.inferscope.collectors.cupti;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.cuda.DeviceRecorderContract;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.spool.StubCuda;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * JVMs that record themselves, by JavaCPP's real binding over the stand-ins of libcuda and libcupti: what they record, in both generations of CUPTI, and what
 * they say where they cannot. The CUDA agent in the same program is what it is compared with.
 */
@Tag("process")
@Tag("native")
class GpuCaptureTest extends DeviceRecorderContract {
    private static final int KILLS = Seeds.areAll() ? 6 : 3;

    private static final String[] EVERY_KIND = {
        "launch:40",
        "driver:3",
        "graph:2:5",
        "copy:4",
        "peer:1",
        "fill:2",
        "event:1",
        "launch:2",
        "sync:3",
        "quiet:9",
        "range:2",
        "external:4711"
    };

    @TempDir
    Path folder;

    @BeforeAll
    static void build() throws Exception {
        StubCuda.prepare();
    }

    private record Ended(int exitCode, String said, long pid) {}

    private ProcessBuilder java(int generation, Map<String, String> environment, String classPath, String... steps) {
        List<String> words = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-Duser.home=" + folder,
                "-cp",
                classPath,
                StubJvm.class.getName()));
        words.addAll(List.of(steps));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        Map<String, String> variables = builder.environment();
        variables.keySet().removeIf(name -> name.startsWith("INFERSCOPE_") || name.startsWith("CUDA_"));
        variables.put("LD_LIBRARY_PATH", generation < 0 ? "" : StubCuda.libraries(generation));
        variables.put("STUB_DRIVER", generation == 12 ? "12080" : "13000");
        variables.put("INFERSCOPE_SPOOL_DIR", spools().toString());
        variables.putAll(environment);
        return builder;
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private Path spools() {
        return folder.resolve("spools");
    }

    private static Ended end(ProcessBuilder builder) throws Exception {
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), said, process.pid());
    }

    private Ended run(int generation, Map<String, String> environment, String... steps) throws Exception {
        return end(java(generation, environment, classPath(), steps));
    }

    /** Runs a capture around the steps. */
    private Timeline capture(int generation, Map<String, String> environment, String... steps) throws Exception {
        List<String> words = new ArrayList<>(List.of("init", "open"));
        words.addAll(List.of(steps));
        words.add("close");
        Ended ended = run(generation, environment, words.toArray(String[]::new));
        assertThat(ended.said()).isEqualTo("recording\nwent on\n");
        assertThat(ended.exitCode()).isZero();
        return CoreFormats.load(spools());
    }

    @Override
    protected Timeline record(Map<String, String> environment, String... steps) throws Exception {
        return capture(13, environment, steps);
    }

    @Override
    protected ProcessBuilder start(Path folder, String step) {
        return java(13, Map.of("INFERSCOPE_SPOOL_DIR", folder.toString()), classPath(), "init", "quietly", step);
    }

    @Override
    protected String busy() {
        return "steadily";
    }

    @Override
    protected int kills() {
        return KILLS;
    }

    /** It starts five JVMs; that of the agent starts five programs in C. */
    @Override
    @Tag("slow")
    @Test
    protected void twoProcessesThatSeeTwoDevicesByOneNumberUseTwo() throws Exception {
        super.twoProcessesThatSeeTwoDevicesByOneNumberUseTwo();
    }

    static IntStream generations() {
        return Seeds.areAll() ? IntStream.of(12, 13) : IntStream.of(13);
    }

    @ParameterizedTest
    @MethodSource("generations")
    void theTimelineIsThatOfTheAgentInTheSameProgram(int generation) throws Exception {
        Timeline captured = capture(generation, Map.of(), EVERY_KIND);
        Path agents = folder.resolve("agents");
        List<String> words = new ArrayList<>(List.of("init", "open"));
        words.addAll(List.of(EVERY_KIND));
        Map<String, String> environment =
                Map.of("CUDA_INJECTION64_PATH", StubCuda.AGENT.toString(), "INFERSCOPE_SPOOL_DIR", agents.toString());
        Files.createDirectories(agents);
        Ended ended = run(generation, environment, words.toArray(String[]::new));
        assertThat(ended.said()).contains("not recording: the CUDA agent records this process already");
        assertThat(files(agents)).hasSize(1);
        Timeline expected = CoreFormats.load(agents);

        assertThat(rows(captured)).isEqualTo(rows(expected));
        assertThat(links(captured)).isEqualTo(links(expected));
        assertThat(devices(captured)).isEqualTo(devices(expected)).isNotEmpty();
        assertThat(captured.importStats().entries()).isEmpty();
        assertThat(count(captured, RowKind.KERNEL)).isEqualTo(40 + 3 + 10 + 2 + 2 + 1);
        assertThat(captured.info().clockDomains())
                .anySatisfy(domain -> assertThat(domain.name()).isEqualTo("cupti"));
    }

    /** Per track, in the order of time: everything of a row but where it lies on the axis and its correlation id, which the recorders' own calls shift. */
    private static Map<String, List<String>> rows(Timeline timeline) {
        Map<String, List<String>> rows = new TreeMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) != RowKind.PROCESS && !isRecorders(timeline, row)) {
                String track = timeline.kind(row).isOnStream()
                        ? timeline.tracks().get(timeline.track(row)).name()
                        : "thread";
                rows.computeIfAbsent(track, t -> new ArrayList<>()).add(row(timeline, row));
            }
        }
        return rows;
    }

    /** The mapping of clocks may round a duration by a nanosecond. */
    private static String row(Timeline timeline, int row) {
        long ns = Math.round((timeline.endNs(row) - timeline.startNs(row)) / 10.0) * 10;
        boolean range = timeline.kind(row) == RowKind.ANNOTATION;
        return timeline.kind(row) + " " + timeline.name(row) + " " + (range ? "" : ns + " ")
                + Arrays.stream(Attribute.values())
                        .filter(attribute -> timeline.attribute(row, attribute) != Attribute.ABSENT)
                        .map(attribute -> attribute
                                + "="
                                + (attribute.isText()
                                        ? timeline.attributeText(row, attribute)
                                        : timeline.attribute(row, attribute)))
                        .collect(Collectors.joining(" "));
    }

    private static List<String> links(Timeline timeline) {
        return IntStream.range(0, timeline.links().count())
                .mapToObj(link -> timeline.links().kind(link)
                        + " "
                        + row(timeline, timeline.links().fromRow(link))
                        + " -> "
                        + row(timeline, timeline.links().toRow(link)))
                .sorted()
                .toList();
    }

    private static Map<String, String> devices(Timeline timeline) {
        Map<String, String> properties = new TreeMap<>(timeline.properties());
        properties.keySet().removeIf(key -> !key.startsWith("device."));
        return properties;
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".spool")).toList();
        }
    }

    @Test
    void aHundredThousandRecordsAreAllThere() throws Exception {
        Timeline timeline = capture(13, Map.of(), "launch:50000");
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(50_000);
        assertThat(count(timeline, RowKind.RUNTIME_CALL)).isEqualTo(50_000);
        assertThat(timeline.importStats().entries()).isEmpty();
        var cost = timeline.info().overheads().get(0);
        System.out.printf("capture: %.0f ns of CPU per record%n", (double) cost.cpuNs() / cost.events());
    }

    @Test
    void callsLieOnTheirKernelThread() throws Exception {
        Ended ended = run(13, Map.of(), "init", "open", "alive:5", "close");
        String tid = ended.said()
                .lines()
                .filter(line -> line.startsWith("thread "))
                .findFirst()
                .orElseThrow()
                .substring(7);
        Timeline timeline = CoreFormats.load(spools());
        assertThat(IntStream.range(0, timeline.rowCount())
                        .filter(row -> timeline.kind(row) == RowKind.RUNTIME_CALL)
                        .mapToObj(row ->
                                timeline.tracks().get(timeline.track(row)).key()))
                .hasSize(5)
                .containsOnly(tid);
    }

    @Test
    void oneCaptureRecordsAtATimeAndALaterOneAgain() throws Exception {
        Ended ended = run(
                13, Map.of(), "init", "open", "nested", "launch:3", "close", "launch:5", "open", "launch:7", "close");
        assertThat(ended.said())
                .isEqualTo("recording\nnot recording: another capture of this process is open\nrecording\nwent on\n");
        assertThat(files(spools())).hasSize(2);
        assertThat(count(CoreFormats.load(spools()), RowKind.KERNEL)).isEqualTo(3 + 7);
    }

    @Test
    void whatAProgramLeavesOpenIsStoredAtItsExit() throws Exception {
        Ended ended = run(13, Map.of(), "init", "open", "launch:30", "exit");
        assertThat(ended.exitCode()).isEqualTo(3);
        Timeline timeline = CoreFormats.load(spools());
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(30);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void withoutADriverItSaysSo() throws Exception {
        assertThat(run(-1, Map.of(), "open-without-cuda").said())
                .isEqualTo("not recording: no NVIDIA driver: libcuda.so.1 cannot be loaded\nwent on\n");
    }

    @Test
    void aLibcuptiThatIsNoneIsNamed() throws Exception {
        assertThat(run(0, Map.of(), "init", "open", "launch:3").said())
                .contains("not recording: ", "libcupti.so.13", "went on");
    }

    @Test
    void aRefusalIsGivenWithCuptisOwnWord() throws Exception {
        assertThat(run(13, Map.of("STUB_REFUSE", "35"), "init", "open", "launch:3")
                        .said())
                .contains("not recording: ", "error 35 CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "went on");
    }

    @Test
    void withoutThePresetsItSaysWhatToAdd() throws Exception {
        String classPath = Arrays.stream(classPath().split(":", -1))
                .filter(entry -> !entry.contains("bytedeco"))
                .collect(Collectors.joining(":"));
        assertThat(end(java(13, Map.of(), classPath, "init", "open", "launch:3"))
                        .said())
                .contains("not recording: ", "add org.bytedeco:cuda", "went on");
    }

    @Test
    void turnedOffItRecordsNothing() throws Exception {
        assertThat(run(13, Map.of("INFERSCOPE_ENABLED", "0"), "init", "open", "launch:3")
                        .said())
                .isEqualTo("not recording: InferScope is turned off\nwent on\n");
        assertThat(spools()).doesNotExist();
    }
}
