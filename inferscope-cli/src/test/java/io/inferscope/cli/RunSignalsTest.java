package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.fixture.Seeds;
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
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Signals and sudden ends, with real processes and a real terminal. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class RunSignalsTest {
    @TempDir
    Path folder;

    private InferScopeProcess inferscope;
    private Path program;

    @BeforeEach
    void copyPrograms() throws IOException {
        inferscope = new InferScopeProcess(folder);
        program = copy("signals.py");
    }

    static Stream<String> signals() {
        return Seeds.areAll() ? Stream.of("TERM", "INT", "HUP", "USR1") : Stream.of("TERM");
    }

    @ParameterizedTest
    @MethodSource("signals")
    void signalSentToInferScopeAloneReachesTheProgramOnce(String signal) throws Exception {
        Process process =
                withoutTerminal("run", "python3", program.toString(), "5").start();
        inferscope.awaitOutput(process, "ready");
        kill(signal, process.pid());
        Result result = inferscope.await(process);
        assertThat(result.out()).isEqualTo("ready\ncounts SIG" + signal + "=1\n");
        assertThat(result.exitCode()).isEqualTo(5);
        assertThat(result.stderr()).contains("Report: ");
    }

    /** As timeout(1) sends it: to the process, then to its group. The program exits with 5 after it, as many do. */
    @Test
    void signalSentToTheWholeGroupReachesTheProgramOnceAndItsRunIsJudged() throws Exception {
        Process process = withoutTerminal("run", "-o", "report.json", "python3", program.toString(), "5")
                .start();
        inferscope.awaitOutput(process, "ready");
        String pid = Long.toString(process.pid());
        String code = "import os, sys; pid = int(sys.argv[1]); os.kill(pid, 2); os.killpg(pid, 2)";
        assertThat(new ProcessBuilder("python3", "-c", code, pid).start().waitFor())
                .isZero();
        Result result = inferscope.await(process);
        assertThat(result.out()).isEqualTo("ready\ncounts SIGINT=1\n");
        assertThat(result.exitCode()).isEqualTo(5);
        assertThat(folder.resolve("report.json"))
                .content()
                .containsPattern(
                        "The program was interrupted by SIGINT after [0-9.]+ m?s; it then ended with exit code 5\\.")
                .doesNotContain("fix what its own messages report");
    }

    @Test
    void ctrlCInATerminalReachesTheProgramOnceAndTheReportIsMade() throws Exception {
        String output = onTerminal("ctrl-c", "run", "python3", program.toString(), "6");
        assertThat(output).contains("counts SIGINT=1", "Report: ").endsWith("exit 6\n");
    }

    @Tag("slow")
    @Test
    void programThatDiesOfCtrlCStillGetsItsReport() throws Exception {
        String output = onTerminal("ctrl-c", "run", "sh", "-c", "echo ready; exec sleep 1000");
        assertThat(output).contains("Report: ").endsWith("exit 130\n");
    }

    @Test
    void ctrlBackslashEndsTheProgramWithoutAThreadDump() throws Exception {
        String output =
                onTerminal("ctrl-backslash", "run", "sh", "-c", "ulimit -c 0; sleep 0.3; echo ready; exec sleep 1000");
        assertThat(output)
                .doesNotContain("Full thread dump")
                .contains("Report: ")
                .endsWith("exit 131\n");
    }

    @Test
    void killedInferScopeLeavesTheProgramAloneAndRecoverFinishesTheJob() throws Exception {
        String script = """
                import os, time
                print('ready', flush=True)
                while not os.path.exists('killed'): time.sleep(0.01)
                open('survived', 'w').close()
                """;
        Path file = Files.writeString(folder.resolve("infer.py"), script);
        Process process = withoutTerminal("run", "python3", file.toString()).start();
        inferscope.awaitOutput(process, "ready");
        Path spools = folder.resolve("outputs/spool_infer");
        Until.holds(() -> !InferScopeProcess.stored(spools).isEmpty());
        process.destroyForcibly().waitFor();
        Files.createFile(folder.resolve("killed"));
        Until.holds(() -> Files.exists(folder.resolve("survived")));
        Result result = inferscope.run("recover", "outputs/spool_infer", "-o", "late.json");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out().replaceAll("\\s+", " ")).contains("recording ended before the program did");
        assertThat(folder.resolve("late.json")).content().contains("infer.py");
        assertThat(folder.resolve("outputs/trace_infer.json.gz")).isNotEmptyFile();
    }

    @Test
    void recoveringAFolderWithoutSpoolsSaysSo() throws Exception {
        Result result = InferScopeProcess.here("recover", folder.toString());
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.stderr()).startsWith("inferscope: ").hasLineCount(1);
    }

    private String onTerminal(String key, String... arguments) throws Exception {
        List<String> words =
                new ArrayList<>(List.of("python3", copy("terminal.py").toString(), key));
        words.addAll(inferscope.words(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** A session of its own has no terminal, whoever runs the tests. */
    private ProcessBuilder withoutTerminal(String... arguments) throws IOException {
        return new InferScopeProcess(folder, "setsid").builder(arguments);
    }

    private static void kill(String signal, long pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private Path copy(String name) throws IOException {
        Path copy = folder.resolve(name);
        try (var resource = java.util.Objects.requireNonNull(getClass().getResourceAsStream("/run/" + name))) {
            Files.write(copy, resource.readAllBytes());
        }
        return copy;
    }
}
