package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.RecordingPace;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command forms, exit codes and streams of {@code inferscope run}. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class RunCommandTest {
    @TempDir
    Path folder;

    private InferScopeProcess inferscope;

    @BeforeEach
    void makeProgram() throws IOException {
        inferscope = new InferScopeProcess(folder);
        Files.writeString(folder.resolve("infer.py"), "import sys\nprint('hello', sys.argv[1:])\n");
    }

    @Test
    void theSpecificationsCommandWorks() throws Exception {
        Result result = inferscope.run("run", "python3", "infer.py", "--report", "report.md");
        assertThat(result.out()).isEqualTo("hello []\n");
        assertThat(result.exitCode()).isZero();
        assertThat(result.stderr())
                .contains("taking \"--report report.md\" for itself", "Report: report.md")
                .doesNotContain("The program ended", "The program was ended");
        assertThat(folder.resolve("report.md")).content().contains("infer");
        assertThat(folder.resolve("outputs/trace_infer.json.gz")).isNotEmptyFile();
        assertThat(names("outputs")).containsExactly("trace_infer.json.gz");
    }

    /** The report says what sampling cost once there are four pauses, each with three steps. */
    @Test
    void betweenItsWindowsSamplingPausesAndStepsAreStillKnown() throws Exception {
        Files.writeString(folder.resolve("steps.py"), """
                import time
                from inferscope import scope
                end = time.monotonic() + 6
                while time.monotonic() < end:
                    with scope("step"):
                        sum(i * i for i in range(3000))
                """);
        QuietMachine.judge(attempt -> {
            Result result = inferscope.run(
                    "run",
                    "--sample-window",
                    "0.3s/0.6s",
                    "--trace",
                    "t.json",
                    "-o",
                    "r.md",
                    "--",
                    "python3",
                    "steps.py");
            assertThat(result.exitCode()).isZero();
            Timeline trace = CoreFormats.load(folder.resolve("t.json"));
            List<RecordingPace> pauses = RecordingPace.ofSampling(trace).stream()
                    .filter(RecordingPace::isBetween)
                    .toList();
            assertThat(pauses).hasSizeGreaterThanOrEqualTo(4);
            for (RecordingPace pause : pauses) { // Of each, what was seen before and after stands for a half.
                assertThat(IntStream.range(0, trace.rowCount())
                                .filter(row -> trace.kind(row) == RowKind.STACK_SAMPLE)
                                .filter(row -> trace.startNs(row) < pause.endNs() && trace.endNs(row) > pause.startNs())
                                .count())
                        .isLessThan(4);
            }
            assertThat(folder.resolve("r.md"))
                    .content()
                    .containsPattern("Sampling made steps .* windows against the pause")
                    .containsPattern("The probe made steps .* periods it did its work twice");
        });
        assertThat(inferscope.run("run", "--sample-window", "2s", "--", "true").stderr())
                .contains("expected a length");
        assertThat(inferscope
                        .run("run", "--sample-window", "1s/2s", "--gpu-window", "1s/2s", "--", "true")
                        .stderr())
                .contains("expected one of them");
    }

    @Test
    void everyReportSaysWhichRunItIs() throws Exception {
        Result result = inferscope.run(
                "run",
                "-o",
                "r.md",
                "-o",
                "r.html",
                "-o",
                "r.json",
                "--",
                "python3",
                "infer.py",
                "--api-key",
                "hunter2butlonger");

        assertThat(result.exitCode()).isZero();
        for (String name : List.of("r.md", "r.html", "r.json")) {
            assertThat(folder.resolve(name))
                    .content()
                    .contains("This run:", "python3 infer.py --api-key", "CPython")
                    .doesNotContain("hunter2butlonger");
        }
        assertThat(result.stderr().replaceAll("\\s+", " "))
                .containsPattern(
                        "note: This run: `python3 infer\\.py [^`]*`, 20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ on ");
    }

    @Test
    void theReportGoesToStandardOutputAfterTheProgramsOutput() throws Exception {
        Result result = inferscope.run("run", "-o", "-", "--", "python3", "infer.py");

        assertThat(result.out()).startsWith("hello []\n<!-- inferscope-report -->");
        assertThat(folder.resolve("-")).doesNotExist();
        assertThat(names("outputs")).containsExactly("trace_infer.json.gz");
    }

    /** And a script that is not executable is run by Python. */
    @Test
    void optionsBeforeTheCommandAreInferScopes() throws Exception {
        Result result = inferscope.run(
                "run", "-o", "r.html", "--report", "r.json", "--trace", "t.json", "infer.py", "-v", "a b");
        assertThat(result.out()).isEqualTo("hello ['-v', 'a b']\n");
        assertThat(result.stderr()).doesNotContain("for itself");
        assertThat(folder.resolve("r.html")).content().contains("<html");
        assertThat(folder.resolve("r.json")).content().startsWith("{");
        assertThat(folder.resolve("t.json")).content().startsWith("{");
        assertThat(folder.resolve("outputs")).doesNotExist();
    }

    @Test
    void afterTwoDashesEverythingIsTheCommands() throws Exception {
        Result result = inferscope.run("run", "--", "python3", "infer.py", "--", "--report", "r.md", "-o", "x");
        assertThat(result.out()).isEqualTo("hello ['--', '--report', 'r.md', '-o', 'x']\n");
        assertThat(result.stderr()).doesNotContain("for itself");
        assertThat(names("outputs")).containsExactly("report_infer.md", "trace_infer.json.gz");
    }

    @Tag("slow")
    @Test
    void laterRunsDoNotOverwriteEarlierOnes() throws Exception {
        inferscope.run("run", "true");
        inferscope.run("run", "true");
        assertThat(names("outputs"))
                .containsExactly("report_true-2.md", "report_true.md", "trace_true-2.json.gz", "trace_true.json.gz");
    }

    @Test
    void reportSaysHowAFailedCommandEnded() throws Exception {
        Result result = inferscope.run("run", "-o", "r.md", "sh", "-c", "kill -KILL $$");
        assertThat(result.exitCode()).isEqualTo(137);
        assertThat(result.stderr()).contains("was ended by signal 9 (SIGKILL) after");
        assertThat(folder.resolve("r.md")).content().contains("was ended by signal 9 (SIGKILL) after");
    }

    @Test
    void costOfRecordingIsSaidByRecorder() throws Exception {
        QuietMachine.judge(attempt -> {
            String script = "import time\nwhile time.process_time() < 1.2: pass\n";
            Files.writeString(folder.resolve("infer.py"), script);
            Result result = inferscope.run("run", "-o", "r.json", "-o", "r.md", "python3", "infer.py");
            assertThat(result.stderr().replaceAll("\\s+", " "))
                    .containsPattern(
                            "cost: recording took .* of CPU time: [0-9.]+% of a core(?: \\([^)]*\\))?, [0-9.]+% of the program's ")
                    .containsPattern("\\(.*host .*python-stacks .*inferscope .*\\); it delayed the program by ")
                    .containsPattern("Cost: .* of CPU time for import, trace and report, after the recording");
            assertThat(folder.resolve("r.md")).content().contains("of the program's");
            assertThat(folder.resolve("r.json")).content().contains("\"python-stacks\"");
        });
    }

    @Tag("slow")
    @Test
    void deathBySignalIs128PlusItsNumber() throws Exception {
        assertThat(inferscope.run("run", "sh", "-c", "kill -SEGV $$").exitCode())
                .isEqualTo(139);
    }

    @Test
    void whatDoesNotStartGivesTheShellsExitCodesAndLeavesNothing() throws Exception {
        Result missing = inferscope.run("run", "no-such-command");
        assertThat(missing.exitCode()).isEqualTo(127);
        assertThat(missing.stderr()).isEqualTo("inferscope: no-such-command: not found on PATH\n");
        Files.writeString(folder.resolve("plain"), "x");
        assertThat(inferscope.run("run", "./plain").exitCode()).isEqualTo(126);
        executable("bad-interpreter", "#!/no/such/interpreter\n");
        assertThat(inferscope.run("run", "./bad-interpreter").exitCode()).isEqualTo(126);
        assertThat(names("outputs")).isEmpty();
    }

    @Tag("slow")
    @Test
    void whatIsNoFileGivesTheShellsExitCodes() throws Exception {
        assertThat(inferscope.run("run", "./infer.txt").exitCode()).isEqualTo(127);
        assertThat(inferscope.run("run", ".").exitCode()).isEqualTo(127);
        assertThat(inferscope.run("run", "./").exitCode()).isEqualTo(126);
    }

    /** Returns what {@code run} says of options that it refuses, in this JVM: nothing is to be started. */
    private static String refused(String... words) {
        Result result = InferScopeProcess.here(
                Stream.concat(Stream.of("run"), Stream.of(words)).toArray(String[]::new));
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(125);
        return result.stderr();
    }

    @Test
    void inferScopesOwnFailureIs125() throws Exception {
        assertThat(inferscope.run("run").exitCode()).isEqualTo(125);
        assertThat(refused("--no-such-option", "true")).contains("--no-such-option");
        assertThat(refused("--overhead", "200%", "true")).contains("--overhead: ", "write for instance 1%");
        assertThat(refused("--sample-rate", "0", "true"))
                .contains("--sample-rate: ")
                .doesNotContain("--overhead");
        assertThat(refused("--trace-size-mb", "0", "true")).contains("--trace-size-mb 0: expected 1 to");
        Files.writeString(folder.resolve("outputs"), "a file where the folder should be");
        Result result = inferscope.run("run", "echo", "never");
        assertThat(result.exitCode()).isEqualTo(125);
        assertThat(result.out()).isEmpty();
        assertThat(result.stderr()).contains("--trace");
    }

    @Tag("slow")
    @Test
    void scriptWithoutInterpreterLineIsTheShells() throws Exception {
        executable("script", "echo \"$1\" from $0\n");
        assertThat(inferscope.run("run", "./script", "a").out()).isEqualTo("a from ./script\n");
    }

    @Test
    void streamsAreByteIdenticalAndTheExitCodeIsTheCommands() throws Exception {
        byte[] data = new byte[3_000_000];
        new Random(1).nextBytes(data);
        Files.write(folder.resolve(".stdin"), data);
        Result result = inferscope.run("run", "sh", "-c", "cat; echo oops >&2; exit 130");
        assertThat(result.exitCode()).isEqualTo(130);
        assertThat(result.stdout()).isEqualTo(data);
        assertThat(result.stderr()).startsWith("oops\n");
    }

    @Test
    void environmentDiffersOnlyInWhatRecordersNeed() throws Exception {
        String script = "tr '\\0' '\\n' < /proc/self/environ";
        ProcessBuilder builder = inferscope.builder("run", "--", "sh", "-c", script);
        builder.environment().put("PYTHONPATH", "/mine");
        builder.environment().put("ODD", "a=b ü\"'");
        List<String> with =
                inferscope.await(builder.start()).out().lines().sorted().toList();
        ProcessBuilder plain = new ProcessBuilder("sh", "-c", script);
        plain.environment().clear();
        plain.environment().putAll(builder.environment());
        List<String> without = new String(plain.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .sorted()
                .toList();
        assertThat(with)
                .filteredOn(line -> !without.contains(line))
                .filteredOn(line -> !line.matches("(CUDA|NVTX)_INJECTION64_PATH=/.*/libinferscope-agent\\.so"))
                .hasSize(3)
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("INFERSCOPE_SPOOL_DIR=/"),
                        line -> assertThat(line).startsWith("INFERSCOPE_SPOOL_MAX_BYTES="),
                        line -> assertThat(line).matches("PYTHONPATH=/.*/python/bootstrap:/.*/python:/mine"));
        assertThat(without).filteredOn(line -> !with.contains(line)).containsExactly("PYTHONPATH=/mine");
    }

    @Test
    void theVariableThatMakesLaunchesWaitIsNotedWithoutItsValue() throws Exception {
        for (String value : List.of("1", "0")) {
            Path trace = folder.resolve("blocking-" + value + ".json");
            ProcessBuilder builder = inferscope.builder("run", "--trace", trace.toString(), "--", "true");
            builder.environment().put("CUDA_LAUNCH_BLOCKING", value);

            assertThat(inferscope.await(builder.start()).exitCode()).isZero();

            boolean noted = Files.readString(trace).contains("run.launch_blocking");
            assertThat(noted).isEqualTo(value.equals("1"));
        }
    }

    /** Its owner did not ask for a recording, and the variables would name files that it writes with the owner's rights. */
    @Test
    void aSetuidProgramIsGivenNothing() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives files away");
        Path program = Files.copy(Path.of("/usr/bin/env"), folder.resolve("env"));
        Files.setAttribute(program, "unix:uid", 65534);
        Files.setAttribute(program, "unix:mode", 0104755);

        Result result = inferscope.run("run", "-o", "r.txt", "--", program.toString());

        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.out())
                .contains("PATH=")
                .doesNotContain("INFERSCOPE_SPOOL", "INJECTION64_PATH", "python/bootstrap");
        assertThat(folder.resolve("r.txt")).content().contains("nothing is loaded into it");
    }

    /** A secret in the environment, the arguments, an address, a header and a body stands in no spool, trace or report. */
    @Test
    void secretsOfTheProgramStandInNoOutput() throws Exception {
        Files.writeString(folder.resolve("service.py"), """
                import http.server, os, sys, threading, urllib.request
                from inferscope import scope
                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_POST(self):
                        self.rfile.read(int(self.headers['Content-Length']))
                        self.send_response(200)
                        self.end_headers()
                        self.wfile.write(b'ok')
                    def log_message(self, *_): pass
                server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
                threading.Thread(target=server.serve_forever, daemon=True).start()
                secret = os.environ['API_KEY']
                assert sys.argv[1] == secret
                address = 'http://127.0.0.1:%d/users/%s/chat?key=%s' % (server.server_port, secret, secret)
                with scope('prompt'):
                    asked = urllib.request.Request(address, data=('tell me of ' + secret).encode(),
                                                   headers={'Authorization': 'Bearer ' + secret})
                    print(urllib.request.urlopen(asked).read().decode())
                """);
        Result result = inferscope.run(
                "run",
                "-o",
                "r.md",
                "-o",
                "r.html",
                "-o",
                "r.json",
                "--trace",
                "t.json.gz",
                "--keep-spool",
                "env",
                "API_KEY=" + Canary.TEXT,
                "python3",
                "service.py",
                Canary.TEXT);
        assertThat(result.out()).as(result.stderr()).isEqualTo("ok\n");
        assertThat(folder.resolve("r.json")).content().contains("POST /users/*/chat");
        Canary.assertInNone(folder);
    }

    @Test
    void withoutTheProbePythonPathStays() throws Exception {
        Result result =
                inferscope.run("run", "--no-probe", "python3", "-c", "import os; print(os.environ.get('PYTHONPATH'))");
        assertThat(result.out())
                .isEqualTo(String.valueOf(System.getenv("PYTHONPATH")).replace("null", "None") + "\n");
        assertThat(result.stderr()).containsIgnoringWhitespaces("turned off by --no-probe");
    }

    @Test
    void operatorWindowsHaveANumberAndALength() throws Exception {
        String script = "import os; print(os.environ.get('INFERSCOPE_OPS'), os.environ.get('KINETO_LOG_LEVEL'))";
        Path began = folder.resolve("began");
        Result asked = inferscope.run("run", "--ops", "python3", "-c", script);
        assertThat(asked.out()).isEqualTo("3x0.5 99\n");
        assertThat(asked.stderr()).startsWith("inferscope: windows of PyTorch's profiler (--ops) cost");
        assertThat(refused("--ops", "3x0", "true")).contains("--ops 3x0: expected number x seconds");
        for (String said : List.of("x", "1e9x0.5", "python3", "")) { // What stands behind = is no command.
            assertThat(refused("--ops=" + said, "touch", began.toString()))
                    .contains("--ops " + (said.isEmpty() ? "\"\"" : said) + ": expected number x seconds");
        }
        assertThat(began).doesNotExist();
    }

    @Tag("slow")
    @Test
    void operatorWindowsAreThoseThatWereAskedFor() throws Exception {
        String script = "import os; print(os.environ.get('INFERSCOPE_OPS'), os.environ.get('KINETO_LOG_LEVEL'))";
        assertThat(inferscope.run("run", "python3", "-c", script).out()).isEqualTo("None None\n");
        assertThat(inferscope
                        .run("run", "--ops", "2x1.5", "python3", "-c", script)
                        .out())
                .isEqualTo("2x1.5 99\n");
    }

    /** Where there is a GPU, the probe decides in the program; only AMD's needs the profiler's log turned down before. */
    @ParameterizedTest
    @CsvSource("kfd, auto 99")
    void operatorWindowsAreExpectedWhereThereIsAGpu(String deviceFile, String expected) throws Exception {
        Files.createFile(Files.createDirectories(folder.resolve("root/dev")).resolve(deviceFile));
        String script = "import os; print(os.environ.get('INFERSCOPE_OPS'), os.environ.get('KINETO_LOG_LEVEL'))";

        assertThat(inferscope.run("run", "python3", "-c", script).out()).isEqualTo(expected + "\n");
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"nvidiactl, auto None", "dxg, auto None", "dri, None None"})
    void operatorWindowsAreExpectedWithTheseDeviceFiles(String deviceFile, String expected) throws Exception {
        operatorWindowsAreExpectedWhereThereIsAGpu(deviceFile, expected);
    }

    @Test
    void profilerWindowsBecomePartOfTheRun() throws Exception {
        String script = """
                import json, os, time
                begin_ns = time.time_ns()
                while time.time_ns() < begin_ns + 20_000_000: pass
                row = dict(ph="X", cat="cpu_op", name="aten::planted", pid=os.getpid(), tid=os.getpid(), ts=1.0, dur=10000.0)
                trace = dict(schemaVersion=1, baseTimeNanoseconds=begin_ns, traceEvents=[row])
                with open(os.environ["INFERSCOPE_SPOOL_DIR"] + "/ops-1-1.json", "w") as file: json.dump(trace, file)
                """;
        Result result = inferscope.run("run", "-o", "r.md", "--trace", "t.json", "python3", "-c", script);
        assertThat(result.exitCode()).isZero();
        assertThat(Files.readString(folder.resolve("t.json"))).contains("aten::planted");
        assertThat(Files.readString(folder.resolve("r.md"))).contains("aten::planted");
    }

    @Test
    void aWindowThatCannotBeUsedCostsNoReport() throws Exception {
        String script = """
                import os
                with open(os.environ["INFERSCOPE_SPOOL_DIR"] + "/ops-1-1.json", "w") as file: file.write("no trace")
                """;
        Result result = inferscope.run("run", "-o", "r.md", "python3", "-c", script);
        assertThat(result.exitCode()).isZero();
        assertThat(result.stderr())
                .contains("the windows of --ops are left out")
                .doesNotContain("no report");
        assertThat(folder.resolve("r.md")).exists();
    }

    @Test
    void signalMaskDispositionsAndLimitsAreTheUsers() throws Exception {
        String script = "grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status; ulimit -Sn; ulimit -Hn";
        String plain = new String(
                new ProcessBuilder("env", "sh", "-c", "ulimit -Sn 321; exec sh -c \"$0\"", script)
                        .start()
                        .getInputStream()
                        .readAllBytes(),
                StandardCharsets.UTF_8);
        InferScopeProcess limited = new InferScopeProcess(folder, "sh", "-c", "ulimit -Sn 321; exec \"$0\" \"$@\"");
        assertThat(limited.run("run", "sh", "-c", script).out()).isEqualTo(plain);
    }

    @Test
    void descriptorsThatTheUserPassedOnArriveAndOthersDoNot() throws Exception {
        Files.writeString(folder.resolve("data"), "seven\n");
        InferScopeProcess passing = new InferScopeProcess(folder, "sh", "-c", "exec 7<data; exec \"$0\" \"$@\"");
        // No pipe, whose ends the shell may still hold; a last command, or the shell would become ls.
        Result result = passing.run("run", "sh", "-c", "cat <&7; ls -1 /proc/$$/fd; :");
        assertThat(result.out()).isEqualTo("seven\n0\n1\n2\n7\n");
    }

    @Test
    void argumentsThatAreNoTextArriveByteForByte() throws Exception {
        InferScopeProcess passing =
                new InferScopeProcess(folder, "sh", "-c", "exec \"$0\" \"$@\" \"$(printf '\\351\\377')\"");
        Result result = passing.run("run", "--", "printf", "%s");
        assertThat(result.stdout()).isEqualTo(new byte[] {(byte) 0xe9, (byte) 0xff});
    }

    @Test
    void interpreterThatTheProbeCannotEnterIsNamed() throws Exception {
        QuietMachine.judge(attempt -> {
            Result result =
                    inferscope.run("run", "-o", "r.md", "python3", "-I", "-S", "-c", "import time; time.sleep(0.5)");
            assertThat(result.exitCode()).isZero();
            assertThat(folder.resolve("r.md")).content().contains("sent no boot record");
        });
    }

    @Test
    void closedPipeEndsTheProgramAsItWouldWithoutUs() throws Exception {
        InferScopeProcess piped =
                new InferScopeProcess(folder, "bash", "-c", "\"$0\" \"$@\" | head -1; exit ${PIPESTATUS[0]}");
        Result result = piped.run("run", "yes");
        assertThat(result.out()).isEqualTo("y\n");
        assertThat(result.exitCode()).isEqualTo(128 + 13);
    }

    private void executable(String name, String content) throws IOException {
        Path file = Files.writeString(folder.resolve(name), content);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private List<String> names(String directory) throws IOException {
        try (var files = Files.list(folder.resolve(directory))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
