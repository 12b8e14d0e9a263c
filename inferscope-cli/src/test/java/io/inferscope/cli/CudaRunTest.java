package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.spool.StubCuda;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code inferscope run} of a program that uses CUDA, with stand-ins for the driver and CUPTI. */
@Tag("process")
@Tag("native")
class CudaRunTest {
    @TempDir
    Path folder;

    private InferScopeProcess inferscope;

    @BeforeAll
    static void build() throws Exception {
        StubCuda.prepare();
    }

    @BeforeEach
    void prepare() {
        inferscope = new InferScopeProcess(folder);
    }

    private ProcessBuilder run(List<String> options, String... steps) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "--trace", "trace.json", "-o", "report.md"));
        words.addAll(options);
        words.addAll(List.of("--", StubCuda.program().toString()));
        words.addAll(List.of(steps));
        ProcessBuilder builder = inferscope.builder(words.toArray(String[]::new));
        builder.environment().keySet().removeIf(name -> name.startsWith("CUDA_") || name.startsWith("NVTX_"));
        builder.environment().put("LD_LIBRARY_PATH", StubCuda.libraries(13));
        return builder;
    }

    private long kernels() throws Exception {
        Timeline trace = CoreFormats.load(folder.resolve("trace.json"));
        return IntStream.range(0, trace.rowCount())
                .filter(row -> trace.kind(row) == RowKind.KERNEL)
                .count();
    }

    @Test
    void aRunRecordsTheDeviceWorkOfAProgramThatKnowsNothingOfIt() throws Exception {
        Result result = inferscope.await(
                run(List.of(), "launch:2000", "graph:5:10", "copy:20", "exit:3").start());
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(kernels()).isEqualTo(2050);
        assertThat(Files.readString(folder.resolve("report.md"))).contains("gemm_64x64", "Stand-in GPU", "cuda-agent");
    }

    @Test
    void whatTheAgentDoesIsNotTakenForTheProgramNorTheProgramForPython() throws Exception {
        QuietMachine.judge(attempt -> {
            Result result = inferscope.await(run(List.of(), "launch:20", "range:2", "sleep:500", "launch:5")
                    .start());
            assertThat(result.exitCode()).isZero();
            assertThat(Files.readString(folder.resolve("report.md")))
                    .contains("(inferscope-cuda), InferScope's own", "`inferscope agent start` | profiler")
                    .contains("`inferscope agent end` | profiler", "`decode step` | the program's own code")
                    .doesNotContain("Python: ", "delayed the program by no measurable time");
        });
    }

    @Tag("slow")
    @Test
    void anotherInjectedProfilerIsKeptAndTheReportSaysSo() throws Exception {
        ProcessBuilder builder = run(List.of(), "launch:20");
        builder.environment().put("CUDA_INJECTION64_PATH", "/opt/other/profiler.so");
        assertThat(inferscope.await(builder.start()).exitCode()).isZero();
        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("CUDA_INJECTION64_PATH", "named another library already and was left as it is");
    }

    @Test
    void oneOfTheWindowsThatWereAskedForIsExplainedAndTheTraceHoldsAll() throws Exception {
        QuietMachine.judge(attempt -> {
            Result result = inferscope.await(
                    run(List.of("--gpu-window", "0.4s/0.8s"), "paced:3000").start());
            assertThat(result.exitCode()).isZero();
            Timeline trace = CoreFormats.load(folder.resolve("trace.json"));
            Intervals windows =
                    DeviceWindows.within(trace, DeviceWindows.of(trace).orElseThrow());
            assertThat(windows.count()).isBetween(3, 5);
            int judged = DeviceWindows.toJudge(trace, windows);
            for (String part : List.of("", "gpu-window-" + (judged + 1), "gpu-window-1")) {
                String file = folder.resolve("trace.json").toString();
                String report = folder.resolve("part.json").toString();
                List<String> words = new ArrayList<>(List.of("analyze", file, "-o", report));
                words.addAll(part.isEmpty() ? List.of() : List.of("--judge", part));
                assertThat(InferScopeProcess.here(words.toArray(String[]::new)).exitCode())
                        .isZero();
                Map<String, Object> window =
                        Json.object(Json.object(Json.parse(Files.newInputStream(folder.resolve("part.json"))))
                                .get("window"));
                int number = part.equals("gpu-window-1") ? 0 : judged;
                assertThat((Long) window.get("durationNs"))
                        .isCloseTo(windows.endNs(number) - windows.startNs(number), Offset.offset(50_000_000L));
            }
            assertThat(Files.readString(folder.resolve("report.md")))
                    .doesNotContain("what looks idle there may be busy");
        });
    }

    /** A call costs 80 us more while it is recorded: steps of ten calls and a millisecond take 1.8 times as long, on a quiet machine. */
    @Test
    void theReportSaysHowMuchLongerRecordingMadeSteps() throws Exception {
        QuietMachine.judge(attempt -> {
            ProcessBuilder builder = run(List.of("--gpu-window", "0.1s/0.2s"));
            Path program = Path.of("..").toAbsolutePath().normalize().resolve("examples/gpu_checks/simulated.py");
            builder.command().remove(builder.command().size() - 1);
            builder.command().addAll(List.of("python3", program.toString(), "stepped", "--steps", "1200"));
            builder.environment().put("STUB_CALL_NS", "80000");
            assertThat(inferscope.await(builder.start()).exitCode()).isZero();
            Matcher said = Pattern.compile(
                            "Recording device work made steps (\\d+) % longer \\(\\+(\\d+) to \\+(\\d+) %\\)")
                    .matcher(Files.readString(folder.resolve("report.md")));
            assertThat(said.find()).isTrue();
            assertThat(Integer.parseInt(said.group(1))).isBetween(50, 120);
        });
    }

    /** Four windows of each detail, or more. */
    @Test
    void theDetailThatCostsNoMoreThanItMayIsExplained() throws Exception {
        QuietMachine.judge(attempt -> {
            ProcessBuilder builder =
                    run(List.of("--gpu-detail", "auto", "--gpu-window", "0.2s/0.4s", "--overhead", "50%"));
            builder.command()
                    .set(builder.command().size() - 1, StubCuda.launching().toString());
            builder.command().add("loop:6000:50");
            builder.environment().put("LD_LIBRARY_PATH", StubCuda.simulated());
            builder.environment().put("STUB_CALL_NS", "100000");
            assertThat(inferscope.await(builder.start()).exitCode()).isZero();
            assertThat(Files.readString(folder.resolve("report.md")))
                    .contains(
                            "less is recorded from here on",
                            "Recording device work (--gpu-detail launches) made the time per launch")
                    .doesNotContain("although the program went on");
        });
    }

    @Test
    void idleTimeBehindAFunctionOfTheHostBelongsToItAndNotToTheLaunch() throws Exception {
        ProcessBuilder builder = run(List.of("--gpu-host-functions"));
        builder.command().set(builder.command().size() - 1, StubCuda.launching().toString());
        builder.command().add("host:100");
        builder.environment().put("LD_LIBRARY_PATH", StubCuda.simulated());
        builder.environment().put("STUB_API", "130101");
        assertThat(inferscope.await(builder.start()).exitCode()).isZero();
        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("host function in a stream", "Launched kernels start late on an idle GPU | clean |");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--gpu-window 5s",
                "--gpu-window 5s/4s",
                "--gpu-keep all",
                "--gpu-graphs some",
                "--gpu-detail some",
                "--gpu-graphs whole --gpu-after 5s",
                "--gpu-graphs whole --gpu-detail auto",
                "--gpu-detail calls --gpu-window 1s/2s",
                "--gpu-host-functions --gpu-detail kernels",
                "--gpu-after soon"
            })
    void optionsThatMeanNothingAreRefusedBeforeTheProgramStarts(String option) throws Exception {
        String started = folder.resolve("started").toString();
        List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(List.of(option.split(" ")));
        words.addAll(List.of("--", "touch", started));
        Result result = InferScopeProcess.here(words.toArray(String[]::new));
        assertThat(result.exitCode()).isNotZero();
        assertThat(result.stderr()).contains(option.split(" ", -1)[0], "expected");
        assertThat(Path.of(started)).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--no-preload"})
    void launchesOfHooksAreInTheTraceAndWithoutPreloadingTheReasonIsInTheReport(String more) throws Exception {
        List<String> options = Stream.of("--gpu-detail", "launches", more)
                .filter(word -> !word.isEmpty())
                .toList();
        ProcessBuilder builder = run(options);
        builder.command().set(builder.command().size() - 1, StubCuda.launching().toString());
        builder.command().addAll(List.of("kernels:500", "graph:10:20", "sync"));
        builder.environment().put("LD_LIBRARY_PATH", StubCuda.simulated());
        assertThat(inferscope.await(builder.start()).exitCode()).isZero();
        Timeline trace = CoreFormats.load(folder.resolve("trace.json"));

        assertThat(kernels()).isEqualTo(700);
        assertThat(IntStream.range(0, trace.rowCount())
                        .filter(row -> trace.name(row).equals("cuLaunchKernel"))
                        .count())
                .isEqualTo(more.isEmpty() ? 500 : 0);
        assertThat(IntStream.range(0, trace.links().count())
                        .filter(i -> trace.kind(trace.links().toRow(i)) == RowKind.KERNEL)
                        .count())
                .isEqualTo(more.isEmpty() ? 700 : 0);
        String report = Files.readString(folder.resolve("report.md"));
        assertThat(report.contains("hooks of launches are not preloaded")).isEqualTo(!more.isEmpty());
    }

    @Test
    void theAgentCanBeLeftOut() throws Exception {
        assertThat(inferscope
                        .await(run(List.of("--no-cuda-agent"), "launch:20").start())
                        .exitCode())
                .isZero();
        assertThat(kernels()).isZero();
    }

    @Test
    void aKilledProgramsDeviceWorkIsInTheReportAndInWhatRecoverMakes() throws Exception {
        Result result = inferscope.await(
                run(List.of("--keep-spool"), "launch:500", "flushes:2", "abort").start());
        assertThat(result.exitCode()).isEqualTo(128 + 6);
        assertThat(kernels()).isEqualTo(500);
        Result recovered =
                inferscope.run("recover", "--trace", "recovered.json", "-o", "recovered.md", "spool_program");
        assertThat(recovered.exitCode()).isZero();
        assertThat(Files.readString(folder.resolve("recovered.md"))).contains("gemm_64x64");
    }
}
