package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.fixture.Until;
import io.inferscope.timeline.spool.StubCuda;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code inferscope attach --gpu}: the agent comes into a program that runs, over stand-ins for the driver and CUPTI. */
@Tag("process")
@Tag("native")
class AttachGpuTest {
    private static final Path PYTHON =
            Path.of("../inferscope-collectors/target/cpython/3.14/org/bytedeco/cpython/linux-x86_64");

    /** How often the agent asks for records: native/agent/flusher.c. */
    private static final long FLUSH_NS = 200_000_000;

    @TempDir
    Path folder;

    private InferScopeProcess inferscope;
    private Process target;

    @BeforeAll
    static void build() throws Exception {
        StubCuda.prepare();
    }

    @BeforeEach
    void prepare() {
        inferscope = new InferScopeProcess(folder);
    }

    @AfterEach
    void endTarget() {
        if (target != null) {
            target.destroyForcibly();
        }
    }

    /** Judges what must happen within a time: an attach has limits of its own, and so has the program's end. */
    private void judge(QuietMachine.Step attempt) throws Exception {
        QuietMachine.judge(number -> {
            endTarget();
            attempt.run();
        });
    }

    /** Starts a program of native/stubs that knows nothing of InferScope. */
    private void start(int generation, Map<String, String> environment, String... steps) throws IOException {
        ProcessBuilder builder = StubCuda.builder(folder, generation, environment, steps);
        builder.environment().remove("INFERSCOPE_SPOOL_DIR");
        builder.environment().remove("CUDA_INJECTION64_PATH");
        builder.environment().putAll(environment);
        target = builder.redirectOutput(folder.resolve("target.out").toFile()).start();
    }

    private String pid() {
        return Long.toString(target.pid());
    }

    /** Lets the program end as it would; returns its exit code. */
    private int end() throws Exception {
        target.getOutputStream().close();
        return target.waitFor();
    }

    private static long kernels(Timeline trace) {
        return IntStream.range(0, trace.rowCount())
                .filter(row -> trace.kind(row) == RowKind.KERNEL)
                .count();
    }

    /** Returns from the first kernel's start to the last one's. */
    private static long kernelSpanNs(Timeline trace) {
        LongSummaryStatistics starts = IntStream.range(0, trace.rowCount())
                .filter(row -> trace.kind(row) == RowKind.KERNEL)
                .mapToLong(trace::startNs)
                .summaryStatistics();
        return starts.getMax() - starts.getMin();
    }

    /** Returns how often the agent asked for records, as it says itself. */
    private long flushes(Timeline trace) {
        String said = trace.properties().get("process." + pid() + ".cuda_flushes");
        return Long.parseLong(said.substring(0, said.indexOf(',')));
    }

    /** Returns whether the agent has written a kernel's name. */
    private boolean hasKernels() throws Exception {
        Path spools = folder.resolve("outputs/spool_program");
        if (!Files.exists(spools.resolve("gpu.answer"))) {
            return false;
        }
        assertThat(spools.resolve("gpu.answer")).hasContent("recording");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(spools, "*-cuda-agent*")) {
            for (Path file : files) {
                if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains("gemm_64x64")) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void aRunningProgramsKernelsAreRecordedAndItGoesOn() throws Exception {
        attachTwice(13, Map.of(), "the only receiver");
    }

    @Tag("slow")
    @Test
    void theAgentSubscribesAgainAtTheNextAttach() throws Exception {
        attachTwice(13, Map.of("STUB_SEVERAL", "1", "STUB_DRIVER", "13030"), "one of several subscribers");
    }

    @Test
    @Tag("slow")
    void theOldestGenerationIsAttachedToAsWell() throws Exception {
        attachTwice(11, Map.of(), "the only receiver");
    }

    private void attachTwice(int generation, Map<String, String> environment, String how) throws Exception {
        judge(() -> {
            start(generation, environment, "led", "exit:7");
            for (String trace : List.of("first.json", "second.json")) { // The agent that is still there records again.
                String duration = trace.equals("first.json") ? "2s" : "800ms";
                Result result =
                        inferscope.run("attach", pid(), "--gpu", "-d", duration, "--trace", trace, "-o", trace + ".md");
                assertThat(result.stderr())
                        .contains("--gpu changes process " + pid() + ": one of its threads is stopped", "stays loaded");
                assertThat(result.exitCode()).isZero();
                Timeline timeline = CoreFormats.load(folder.resolve(trace));
                assertThat(kernels(timeline)).isGreaterThan(20);
                assertThat(timeline.properties()).containsEntry("device.0.name", "Stand-in GPU");
                assertThat(timeline.properties().get("process." + pid() + ".cupti"))
                        .endsWith("; " + how);
                assertThat(flushes(timeline)).isBetween(1L, kernelSpanNs(timeline) / FLUSH_NS + 3);
                assertThat(maps()).doesNotContain(".spool"); // It would hold the disk space of what is deleted.
                assertThat(Files.readString(folder.resolve(trace + ".md")))
                        .contains("gemm_64x64", "graphs that were instantiated before");
                assertThat(target.isAlive()).isTrue();
            }
            assertThat(end()).isEqualTo(7);
            assertThat(Files.readString(folder.resolve("target.out"))).isEmpty();
        });
    }

    @Tag("slow")
    @Test
    void aKilledInferScopeLeavesTheProgramRunningAndItsRecordsReadable() throws Exception {
        start(12, Map.of(), "led", "exit:7");
        Process recording =
                inferscope.builder("attach", pid(), "--gpu", "-d", "10m").start();
        Path ended = folder.resolve("outputs/spool_program/gpu.ended");
        Until.holds(this::hasKernels);
        recording.destroyForcibly().waitFor();
        Until.holds(() -> Files.exists(ended));
        assertThat(end()).isEqualTo(7);
        assertThat(inferscope
                        .run("recover", "--trace", "killed.json", "outputs/spool_program")
                        .exitCode())
                .isZero();
        assertThat(kernels(CoreFormats.load(folder.resolve("killed.json")))).isPositive();
    }

    @Tag("slow")
    @Test
    void aRefusedSecondAttachDoesNotHoldUpTheProgramsEnd() throws Exception {
        judge(() -> {
            start(13, Map.of("STUB_SUBSCRIBED", "2"), "led", "exit:7");
            assertThat(inferscope.run("attach", pid(), "--gpu", "-d", "200ms").exitCode())
                    .isZero();
            Result refused = inferscope.run("attach", pid(), "--gpu", "-d", "200ms");
            assertThat(refused.stderr()).contains("another profiler in the program uses CUPTI (error 39");
            target.getOutputStream().close();
            // The end of the program waits 3 s for an agent that does not answer.
            assertThat(target.waitFor(2500, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(target.exitValue()).isEqualTo(7);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CUDA_INJECTION64_PATH | /opt/other.so | names another profiler: /opt/other.so",
                "STUB_SUBSCRIBED | 1 | another profiler in the program uses CUPTI (error 39",
            })
    void whereAnotherProfilerIsAtWorkItIsRefused(String variable, String value, String why) throws Exception {
        checkRefusal(variable, value, why);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CUDA_INJECTION64_PATH | AGENT | started by inferscope run",
                "STUB_OTHER | 1 | interface for several subscribers",
                "INFERSCOPE_CUPTI | /etc/hostname | names a file that cannot be loaded",
            })
    void whereItCannotRecordItIsRefused(String variable, String value, String why) throws Exception {
        checkRefusal(variable, value, why);
    }

    private void checkRefusal(String variable, String value, String why) throws Exception {
        judge(() -> {
            String text = value.equals("AGENT") ? StubCuda.AGENT.toString() : value;
            start(13, Map.of(variable, text), "led", "exit:7");
            Result result = inferscope.run("attach", pid(), "--gpu", "-d", "1s");
            assertThat(result.stderr()).contains("--gpu: ", why);
            assertThat(result.exitCode()).isEqualTo(4);
            assertThat(folder.resolve("outputs/spool_program")).doesNotExist();
            assertThat(end()).isEqualTo(7);
        });
    }

    @Test
    void aProgramWithoutCudaIsNotEntered() throws Exception {
        target = new ProcessBuilder("sleep", "100").start();
        Result result = inferscope.run("attach", pid(), "--gpu");
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.stderr()).contains("nothing was done to process " + pid(), "it does not use CUDA so far");
        assertThat(folder.resolve("outputs")).doesNotExist();
    }

    @Test
    void aNewPythonIsAskedInsteadOfStopped() throws Exception {
        judge(() -> {
            File python = PYTHON.resolve("bin/python3.14").toAbsolutePath().toFile();
            boolean runs = python.canExecute() || python.setExecutable(true); // It was unpacked as a plain file.
            Assumptions.assumeTrue(runs, "no CPython 3.14 here");
            Path script = Files.writeString(folder.resolve("it's.py"), """
                import ctypes, select, sys
                cuda = ctypes.CDLL('libcuda.so.1')
                cuda.cuInit(0)
                names = set(globals()) | {'names'}
                while not select.select([0], [], [], 0.002)[0]:
                    cuda.stub_launch(b'a_kernel', 7, ctypes.c_uint64(1000))
                print(sorted(set(globals()) - names))
                sys.exit(7)
                """);
            String home = PYTHON.toAbsolutePath().normalize().toString();
            ProcessBuilder builder = new ProcessBuilder(python.toString(), script.toString());
            builder.environment().put("PYTHONHOME", home);
            builder.environment().put("LD_LIBRARY_PATH", home + ":" + StubCuda.libraries(13));
            target = builder.redirectErrorStream(true)
                    .redirectOutput(folder.resolve("target.out").toFile())
                    .start();
            Until.holds(() -> maps().contains("libcuda.so"));
            Result result =
                    inferscope.run("attach", pid(), "--gpu", "-d", "800ms", "--trace", "trace.json", "-o", "report.md");
            assertThat(result.stderr()).contains("its CPython 3.14.", "is asked to execute a script (sys.remote_exec)");
            assertThat(result.exitCode()).isZero();
            assertThat(kernels(CoreFormats.load(folder.resolve("trace.json")))).isGreaterThan(20);
            assertThat(end()).isEqualTo(7);
            assertThat(Files.readString(folder.resolve("target.out"))).isEqualToIgnoringNewLines("[]");
        });
    }

    private String maps() throws IOException {
        byte[] maps = Files.readAllBytes(Path.of("/proc/" + pid() + "/maps"));
        return new String(maps, StandardCharsets.ISO_8859_1);
    }
}
