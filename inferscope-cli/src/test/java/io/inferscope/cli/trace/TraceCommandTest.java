package io.inferscope.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess;
import io.inferscope.timeline.fixture.TracedModel;
import io.inferscope.timeline.fixture.Until;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code inferscope trace} as users start it, on planted tracers that need no PyTorch. */
@Tag("process")
class TraceCommandTest {
    @TempDir
    Path folder;

    private InferScopeProcess inferscope;

    @BeforeEach
    void makeModelAndInterpreter() throws IOException {
        inferscope = new InferScopeProcess(folder);
        TracedModel.write(folder.resolve("tiny"));
        TracedModel.interpreter(folder);
    }

    private static Path tracers() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(at.resolve("inferscope-collectors"))) {
            at = at.getParent();
        }
        return at.resolve("inferscope-batch/src/test/resources/tracers");
    }

    private InferScopeProcess.Result trace(String... more) throws Exception {
        return inferscope.run(words(more));
    }

    private static String[] words(String... more) {
        List<String> words = new ArrayList<>(List.of("trace"));
        words.addAll(List.of(more));
        words.addAll(List.of("--python", "./py", "--tracer-path", tracers().toString()));
        return words.toArray(String[]::new);
    }

    private static final String[] BATCH = {
        "--framework", "huggingface", "--model", "tiny", "--output-dir", "out", "--tracers"
    };

    private InferScopeProcess.Result batch(String tracers, String... more) throws Exception {
        return trace(Stream.of(BATCH, new String[] {tracers}, more)
                .flatMap(Stream::of)
                .toArray(String[]::new));
    }

    /** In this JVM, with the same paths: for what no batch is started for. */
    private InferScopeProcess.Result here(String... more) {
        return InferScopeProcess.here(Stream.of(
                        Stream.of("trace"),
                        Stream.of(more),
                        Stream.of(
                                "--python", at("py"), "--tracer-path", tracers().toString()))
                .flatMap(words -> words)
                .toArray(String[]::new));
    }

    private InferScopeProcess.Result batchHere(String... more) {
        String[] batch = {
            "--framework", "huggingface", "--model", at("tiny"), "--output-dir", at("out"), "--tracers", "good"
        };
        return here(Stream.concat(Stream.of(batch), Stream.of(more)).toArray(String[]::new));
    }

    private String at(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void tracersAreListedAndDescribed() throws Exception {
        InferScopeProcess.Result list = trace("--list-tracers");
        assertThat(list.exitCode()).as(list.stderr()).isZero();
        assertThat(list.out()).contains("torch_profiler", "vllm_profiler", "segfault");
        assertThat(here("--describe-tracer", "print_fx").out()).contains("print_fx.json", "eval, train");
        assertThat(here("--describe-tracer", "nothing").exitCode()).isEqualTo(2);
    }

    @Test
    void aBatchSaysWhatBecameOfEachPairAndGoesOnLater() throws Exception {
        InferScopeProcess.Result first = batch("good,raising,profiled");
        assertThat(first.exitCode()).as(first.stderr()).isEqualTo(1);
        assertThat(first.stderr())
                .contains("tiny eval raising: model-error", "TypeError: shapes do not match")
                .contains("3 pairs: 1 model-error, 2 ok");

        InferScopeProcess.Result second = batch("good,profiled");
        assertThat(second.exitCode()).as(second.stderr()).isZero();
        assertThat(second.stderr()).contains("2 pairs: 2 bypassed");

        assertThat(folder.resolve("out/tiny/eval/profiled/inferscope_report.html"))
                .isNotEmptyFile();
        assertThat(folder.resolve("out/tiny/eval/profiled/inferscope_report.md"))
                .content()
                .contains("aten::mm");
        assertThat(folder.resolve("out/summary.csv")).content().contains("tiny,", "raising,model-error");
        assertThat(folder.resolve("out/summary.md")).content().contains("## Failures", "shapes do not match");
        assertThat(folder.resolve("out/summary.html")).content().contains("<h2>Failures</h2>");
    }

    @Test
    void theWorkerRunsOneTracerAlone() throws Exception {
        String[] words = {"worker", "--framework", "huggingface", "--model-path", "tiny", "--tracer", "good"};
        InferScopeProcess.Result result =
                trace(Stream.of(words, new String[] {"--mode", "train", "--output-dir", "out"})
                        .flatMap(Stream::of)
                        .toArray(String[]::new));
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(folder.resolve("out/tiny/train/good/_TRACE_STATUS.json"))
                .content()
                .contains("\"success\" : true");
    }

    @Tag("slow")
    @Test
    void theWorkerRunsAllTracersOfTheFrameworkWhenAsked() throws Exception {
        Files.createDirectory(folder.resolve("own"));
        Files.writeString(folder.resolve("own/only.py"), """
                from inferscope.trace import Tracer
                class Only(Tracer):
                    name, frameworks, outputs = "only", ("vllm",), ("x.txt",)
                    def run(self, ctx, output_dir): pass
                """);
        InferScopeProcess.Result result = inferscope.run(
                "trace",
                "worker",
                "--framework",
                "vllm",
                "--model-path",
                "tiny",
                "--tracer",
                "all",
                "--output-dir",
                "out",
                "--python",
                "./py",
                "--tracer-path",
                "own");
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(1);
        assertThat(result.stderr())
                .contains("only: unsupported", "vllm_profiler: unsupported", "vllm is not installed");
    }

    @Test
    void anyOptionWithOneValueCanStandInTheFile() throws Exception {
        Files.writeString(
                folder.resolve("c.yaml"),
                "framework: huggingface\nmode: train\noutput-dir: elsewhere\ntracers: [good, raising]\njobs: 2\npython: ./py\n"
                        + "tracer-path: " + tracers() + "\ncontinue-on-failure: true\n");
        InferScopeProcess.Result result =
                inferscope.run("trace", "--config", "c.yaml", "--model", "tiny", "--tracers", "good");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(folder.resolve("elsewhere/tiny/train/good")).isDirectory();
        assertThat(folder.resolve("elsewhere/tiny/train/raising")).doesNotExist();
    }

    @Test
    void everyOptionIsInTheHelpWithItsDefault() throws Exception {
        String help = InferScopeProcess.here("trace", "--help").out().replaceAll("\\s+", " ");
        for (TraceOption option : TraceOption.values()) {
            assertThat(help).contains(option.flag() + "=");
        }
        assertThat(help).contains("(default: 15m, vLLM 20m)", "(default: outputs)", "(default: python3)");
        assertThat(InferScopeProcess.here("trace", "worker", "--help").out())
                .contains("--timeout=")
                .doesNotContain("--jobs");
    }

    private Path unfinished() {
        return folder.resolve("out/tiny/eval/.hang.unfinished/stderr.txt");
    }

    /** Starts a batch whose first tracer hangs, with a grandchild in a session of its own, and interrupts it so often. */
    private InferScopeProcess.Result interrupted(int times) throws Exception {
        Process process = inferscope
                .builder(words(Stream.of(BATCH, new String[] {"hang,good"})
                        .flatMap(Stream::of)
                        .toArray(String[]::new)))
                .start();
        while (family() < 2 && process.isAlive()) {
            Thread.sleep(20);
        }
        for (int i = 0; i < times; i++) {
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }
        return inferscope.await(process);
    }

    /** Returns how many processes there are of the tracer that hangs. */
    private long family() {
        String mark = "INFERSCOPE_TRACE_PAIR=" + folder.resolve("out/tiny/eval/hang");
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    try {
                        Path environment = Path.of("/proc", Long.toString(process.pid()), "environ");
                        return Files.readString(environment, StandardCharsets.ISO_8859_1)
                                .contains(mark + "\0");
                    } catch (IOException gone) {
                        return false;
                    }
                })
                .count();
    }

    @Tag("slow")
    @Test
    void aSecondInterruptLeavesNoProcessEither() throws Exception {
        InferScopeProcess.Result result = interrupted(2);
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(130);
        Until.holds(() -> family() == 0); // Killed ones take a moment.
    }

    @Test
    void anInterruptStopsInOrder() throws Exception {
        InferScopeProcess.Result result = interrupted(1);

        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(130);
        assertThat(result.stderr()).contains("stopping", "2 pairs: 2 interrupted");
        assertThat(unfinished()).doesNotExist();
        assertThat(batch("good").exitCode()).isZero();
    }

    @Test
    void mistakesAreToldWithTheirPlace() throws Exception {
        assertThat(here("--framework", "tensorflow", "--model", at("tiny")).stderr())
                .contains("huggingface, vllm");
        assertThat(here("--framework", "huggingface").stderr()).contains("no model");
        assertThat(batchHere("--timeout", "soon").exitCode()).isEqualTo(2);
        assertThat(batchHere("--continue-on-failure", "perhaps").stderr()).contains("true or false");
        assertThat(batchHere("--model-list", at("none.txt")).stderr()).contains("none.txt: no such file");
        Files.write(folder.resolve("garbage.txt"), new byte[] {'a', '\n', 0, 1, (byte) 0xff});
        assertThat(batchHere("--model-list", at("garbage.txt")).stderr()).contains("garbage.txt:2: no text");
        Files.writeString(folder.resolve("c.yaml"), "timeout: 1m\nspeed: high\nenvironment: {nowhere: {A: 1}}\n");
        InferScopeProcess.Result config = batchHere("--config", at("c.yaml"));
        assertThat(config.exitCode()).isEqualTo(2);
        assertThat(config.stderr()).contains("c.yaml:2", "'speed'", "c.yaml:3", "'nowhere'");
        Files.writeString(folder.resolve("file"), "");
        InferScopeProcess.Result place =
                here("--framework", "huggingface", "--model", at("tiny"), "--output-dir", at("file/out"));
        assertThat(place.exitCode()).as(place.stderr()).isEqualTo(4);
        assertThat(InferScopeProcess.here("trace", "--list-tracers", "--python", at("none"))
                        .exitCode())
                .isEqualTo(4);
        assertThat(folder.resolve("out")).doesNotExist();
    }
}
