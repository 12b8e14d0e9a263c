package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.shapes.ShapesCommand;
import io.inferscope.timeline.fixture.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("process")
class ShapesRunCommandTest {
    /** Stores the log of a process that is killed inside its second operator. */
    private static final String KILLED = """
            import os, signal, sys
            sys.path.insert(0, sys.argv[1])
            from inferscope.shapes import log
            from inferscope.shapes.reader import process_start
            pid = os.getpid()
            written = log.ShapeLog(sys.argv[2], {"pid": pid, "start_ticks": process_start(pid), "rank": 2, "dedupe": False})
            mm = written.signature("aten.mm.default", '"operation": "aten.mm.default", "inputs": {}')
            done = written.signature("", ', "outputs": []', mm)
            written.mark(log.DONE, done, 5)
            written.mark(log.RUNNING, mm, 5)
            os.kill(pid, signal.SIGKILL)
            """;

    private static final String MODEL = """
            import os, signal, torch
            model = torch.nn.Linear(8, 4)
            with torch.no_grad():
                for step in range(3):
                    model(torch.ones(2, 8))
            print("answer")
            if %s:
                os.kill(os.getpid(), signal.SIGKILL)
            """;

    @TempDir
    Path folder;

    @Test
    void aCommandAfterTwoDashesIsRunWithoutSayingRun() {
        assertThat(ShapesCommand.withDefault("shapes", "--", "python", "x.py"))
                .containsExactly("shapes", "run", "--", "python", "x.py");
        assertThat(ShapesCommand.withDefault("shapes", "--rank", "1", "--", "run"))
                .containsExactly("shapes", "run", "--rank", "1", "--", "run");
        for (String[] whole : List.<String[]>of(
                new String[] {"shapes", "run", "--", "x"},
                new String[] {"shapes", "env"},
                new String[] {"run", "--", "shapes"},
                new String[] {"shapes"})) {
            assertThat(ShapesCommand.withDefault(whole)).containsExactly(whole);
        }
    }

    @Test
    void theLinesForAShellSetWhatTheRecorderReads() throws Exception {
        StringWriter out = new StringWriter();
        int exitCode = Main.run(
                Main.commandLine().setOut(new PrintWriter(out)),
                "shapes",
                "env",
                "--rank",
                "all",
                "--skip-warmup",
                "2",
                "--passes",
                "3",
                "--no-dedupe",
                "--fields",
                "device,stride",
                "--file",
                "it's.jsonl");
        assertThat(exitCode).isZero();
        Process shell = new ProcessBuilder("sh", "-c", out + "env").start();
        String environment = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(environment.lines())
                .contains(
                        "INFERSCOPE_SHAPES=1",
                        "INFERSCOPE_SHAPES_RANK=all",
                        "INFERSCOPE_SHAPES_SKIP_WARMUP=2",
                        "INFERSCOPE_SHAPES_LOG_N_PASSES=3",
                        "INFERSCOPE_SHAPES_DEDUPE=0",
                        "INFERSCOPE_SHAPES_FIELDS=device,stride",
                        "INFERSCOPE_SHAPES_FILE=" + Path.of("it's.jsonl").toAbsolutePath());
        assertThat(environment).containsPattern("PYTHONPATH=[^:]*/python/bootstrap:[^:]*/python");
    }

    @Test
    void linesForAShellLeaveWhatIsNotNamedToTheVariablesOfEitherName() {
        StringWriter out = new StringWriter();
        assertThat(Main.run(Main.commandLine().setOut(new PrintWriter(out)), "shapes", "env"))
                .isZero();
        assertThat(out.toString().lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("export PYTHONPATH="))
                .contains("export INFERSCOPE_SHAPES=1");
    }

    @Test
    void optionsThatMakeNoSenseAreRefusedBeforeAnythingRuns() throws Exception {
        for (List<String> wrong : List.of(
                List.of("--rank", "first"),
                List.of("--passes", "-1"),
                List.of("--dedupe", "--no-dedupe"),
                List.of("--fields", "size"))) {
            List<String> words = new ArrayList<>(List.of("shapes", "run"));
            words.addAll(wrong);
            words.addAll(List.of("--", "touch", folder.resolve("ran").toString()));
            InferScopeProcess.Result result = InferScopeProcess.here(words.toArray(String[]::new));
            assertThat(result.exitCode()).as(result.stderr()).isEqualTo(125);
            assertThat(result.stderr()).contains(wrong.get(0)).hasLineCount(1);
        }
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    @Test
    void aProgramWithoutOperatorsKeepsItsExitCodeAndIsSpokenOf() throws Exception {
        InferScopeProcess.Result result = process().run("shapes", "--", "sh", "-c", "echo out; exit 7");
        assertThat(result.exitCode()).isEqualTo(7);
        assertThat(result.out()).isEqualTo("out\n");
        assertThat(result.stderr()).contains("no operators were recorded");
    }

    @Test
    void whatAKilledProcessLeftIsFinished() throws Exception {
        Path log = folder.resolve("shapes.jsonl.log");
        Process killed = new ProcessBuilder(
                        "python3",
                        "-c",
                        KILLED,
                        InstallFolder.find().resolve("python").toString(),
                        log.toString())
                .inheritIO()
                .start();
        assertThat(killed.waitFor()).isEqualTo(137);

        InferScopeProcess.Result result = process().run("shapes", "recover", "shapes.jsonl.log");

        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stderr()).contains("shapes.jsonl: 2 operators, 1 of them unfinished");
        assertThat(Files.readAllLines(folder.resolve("shapes.jsonl")))
                .satisfiesExactly(
                        one -> assertThat(one)
                                .isEqualTo(
                                        "{\"call_id\": 1, \"forward_pass\": 5, \"operation\": \"aten.mm.default\", \"inputs\": {}, \"outputs\": []}"),
                        two -> assertThat(two)
                                .startsWith("{\"call_id\": 2, ")
                                .contains("\"outputs\": null", "Unfinished"));
        assertThat(Json.object(Json.parse(Files.readString(folder.resolve("shapes_summary.json")))))
                .containsEntry("rank", 2L)
                .containsEntry("total_operations", 2L)
                .containsEntry("complete", false);
        assertThat(log).doesNotExist();
    }

    @Test
    void aFolderThatIsNoLogIsRefusedByName() throws Exception {
        InferScopeProcess.Result result = process().run("shapes", "recover", "nothing");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.stderr())
                .contains("cannot recover nothing", "meta.json")
                .hasLineCount(1);
    }

    @Tag("torch")
    @Test
    void aProgramsOperatorsAreThereThoughItWasKilled() throws Exception {
        String python = System.getenv("INFERSCOPE_TEST_PYTHON");
        boolean torch = "1".equals(System.getenv("INFERSCOPE_TEST_TORCH")) && python != null;
        assumeTrue(
                torch || "1".equals(System.getenv("INFERSCOPE_REQUIRE_TORCH")),
                "SKIPPED: no Python with torch (scripts/test makes one)");
        for (String kill : List.of("False", "True")) {
            Path script = Files.writeString(folder.resolve("infer.py"), MODEL.formatted(kill));
            Path file = folder.resolve(kill + ".jsonl");
            InferScopeProcess.Result result = process()
                    .run(
                            "shapes",
                            "--skip-warmup",
                            "1",
                            "-o",
                            file.toString(),
                            "--",
                            String.valueOf(python),
                            script.toString());

            assertThat(result.exitCode()).as(result.stderr()).isEqualTo(kill.equals("True") ? 137 : 0);
            assertThat(result.stderr()).contains("Shapes: " + file);
            Map<String, Object> summary =
                    Json.object(Json.parse(Files.readString(folder.resolve(kill + "_summary.json"))));
            assertThat(summary).containsEntry("forward_passes", 2L).containsEntry("complete", kill.equals("False"));
            assertThat(Files.readString(file)).contains("\"forward_pass\": 3, \"operation\": \"aten.addmm.default\"");
            assertThat(folder.resolve(kill + ".jsonl.log")).doesNotExist();
        }
    }

    @Tag("torch")
    @Test
    void anOrdinaryRunRecordsShapesWhereAsked() throws Exception {
        String python = System.getenv("INFERSCOPE_TEST_PYTHON");
        boolean torch = "1".equals(System.getenv("INFERSCOPE_TEST_TORCH")) && python != null;
        assumeTrue(
                torch || "1".equals(System.getenv("INFERSCOPE_REQUIRE_TORCH")),
                "SKIPPED: no Python with torch (scripts/test makes one)");
        Path script = Files.writeString(folder.resolve("infer.py"), MODEL.formatted("False"));
        InferScopeProcess.Result result =
                process().run("run", "--shapes", "--", String.valueOf(python), script.toString());

        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.out()).isEqualTo("answer\n");
        assertThat(result.stderr())
                .contains("Shapes: ", "outputs/shapes_infer.jsonl", "Report: outputs/report_infer.md");
        assertThat(Json.object(Json.parse(Files.readString(folder.resolve("outputs/shapes_infer_summary.json")))))
                .containsEntry("forward_passes", 3L)
                .containsEntry("complete", true);
        assertThat(Files.readString(folder.resolve("outputs/report_infer.md")))
                .as("the unique shapes beside the times")
                .contains("<summary>Unique shapes of the run", "`aten.addmm.default` | 3 ")
                .as("what recording them cost, measured")
                .containsPattern("recording took [^\n]*\\([^)]*shapes \\d");
    }

    private InferScopeProcess process() {
        return new InferScopeProcess(folder);
    }
}
