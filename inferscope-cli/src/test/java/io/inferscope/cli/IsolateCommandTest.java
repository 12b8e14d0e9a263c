package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IsolateCommandTest {
    /** The second inputs take more time; the name of a type tries to be code. */
    private static final String TRACE = """
            {"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 0, "dur": 2, "args": {
             "Input Dims": [[3], [4, 2], [2, 3], [], []], "Input Strides": [[1], [2, 1], [1, 2], [], []],
             "Input type": ["float", "float", "float", "Scalar", "Scalar"], "Concrete Inputs": ["", "", "", "1", "1"]}},
            {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 5, "dur": 9, "args": {
             "Input Dims": [[6], [5, 7], [7, 6], [], []], "Input Strides": [[1], [7, 1], [1, 7], [], []],
             "Input type": ["float", "float", "float", "Scalar", "Scalar"], "Concrete Inputs": ["", "", "", "2", "1"]}},
            {"ph": "X", "cat": "cpu_op", "name": "aten::odd", "pid": 1, "tid": 1, "ts": 20, "dur": 9, "args": {
             "Input Dims": [[]], "Input type": ["\\"); import os  #"], "Concrete Inputs": ["\\n\\"\\"\\""]}}]}
            """;

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    private int isolate(String operator) throws Exception {
        Path trace = Files.writeString(folder.resolve("trace.json"), TRACE);
        return Main.commandLine()
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(new StringWriter()))
                .execute(
                        "isolate",
                        trace.toString(),
                        "--operator",
                        operator,
                        "-o",
                        folder.resolve("op.py").toString());
    }

    @Test
    void theInputsThatTakeMostTimeAreTaken() throws Exception {
        assertThat(isolate("aten::addmm")).as(err.toString()).isZero();
        assertThat(folder.resolve("op.py"))
                .content()
                .contains("# Recorded: 1 call with these inputs, 9.00 us on the host and nothing on the device each.")
                .contains("SIZES = json.loads(\"[[6],[5,7],[7,6],[],[]]\")")
                .contains("STRIDES = json.loads(\"[[1],[7,1],[1,7],[],[]]\")");
    }

    @Test
    void noTextOfATraceBecomesCode() throws Exception {
        assertThat(isolate("aten::odd")).isZero();
        assertThat(folder.resolve("op.py")).content().doesNotContain("\"); import os", "\n\"\"\"");
    }

    /** Ranks, or captures and their replay: each is read by itself, because arguments are read from its file. */
    @Test
    void ofAFolderTheRecordingWithMostTimeIsTaken() throws Exception {
        Path ranks = Files.createDirectory(folder.resolve("ranks"));
        Files.writeString(ranks.resolve("rank0.json"), TRACE);
        Files.writeString(ranks.resolve("rank1.json"), TRACE.replace("\"dur\": 2", "\"dur\": 20"));

        int exitCode = Main.commandLine()
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(new StringWriter()))
                .execute("isolate", ranks.toString(), "--operator", "aten::addmm", "-o", folder + "/op.py");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(folder.resolve("op.py"))
                .content()
                .contains("# Recorded: 1 call with these inputs, 20.0 us on the host")
                .contains("SIZES = json.loads(\"[[3],[4,2],[2,3],[],[]]\")");
    }

    @Test
    void anOperatorThatIsNotThereIsOneLine() throws Exception {
        assertThat(isolate("aten::mm")).isEqualTo(2);
        assertThat(err.toString()).startsWith("inferscope isolate: no operator aten::mm with inputs is recorded;");
        assertThat(folder.resolve("op.py")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "aten::from_file, opens a file that the recording names",
        "aten::from_file.out, opens a file that the recording names",
        "aten::save, opens a file that the recording names",
        "image::write_file, opens a file that the recording names",
        "torchaudio::sox_io_save_audio_file, opens a file that the recording names",
        "debugprims::load_tensor, opens a file that the recording names",
        "c10d::allreduce_, exchanges data with other processes",
        "_c10d_functional::all_reduce, exchanges data with other processes",
        "symm_mem::nvshmem_put, exchanges data with other processes",
        "prim::Print, changes or reads the state of its process instead of computing",
        "aten::manual_seed, changes or reads the state of its process instead of computing",
    })
    void anOperatorThatDoesMoreThanComputeIsRefused(String operator, String effect) throws Exception {
        assertThat(isolate(operator)).isEqualTo(2);
        assertThat(err.toString())
                .contains(operator + " is not run alone: it " + effect)
                .doesNotContain("no operator");
        assertThat(folder.resolve("op.py")).doesNotExist();
    }

    @Tag("process")
    @Test
    void theProgramIsReadableByItsOwnerAloneAndAFailedWriteLeavesTheOldOne() throws Exception {
        Path old = Files.writeString(folder.resolve("op.py"), "old");
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rw-r-----"));
        Path trace = Files.writeString(folder.resolve("trace.json"), TRACE);
        String[] words = {"isolate", trace.toString(), "--operator", "aten::addmm", "-o", "op.py"};

        InferScopeProcess.Result full =
                new InferScopeProcess(folder, "sh", "-c", "ulimit -f 2; exec \"$@\"", "sh").run(words);
        assertThat(full.exitCode()).as(full.stderr()).isEqualTo(4);
        assertThat(full.stderr()).contains("cannot write: op.py: ");
        assertThat(old).hasContent("old");

        assertThat(isolate("aten::addmm")).isZero();
        assertThat(Files.getPosixFilePermissions(old)).isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
        Files.delete(old);
        assertThat(isolate("aten::addmm")).isZero();
        assertThat(Files.getPosixFilePermissions(old)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Tag("torch")
    @Tag("process")
    @Test
    void noOperatorOfPyTorchThatTakesTheNameOfAFileIsRun() throws Exception {
        String python = python();
        String list = "import torch\nfor s in torch._C._jit_get_all_schemas():\n"
                + "  if any(a.name in ('file', 'filename', 'path', 'url', 'fname') and 'str' in str(a.type) for a in s.arguments): print(s.name)";
        Process process = new ProcessBuilder(python, "-c", list)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> names = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();

        assertThat(names).contains("aten::from_file", "aten::save");
        for (String name : names) {
            assertThat(isolate(name)).isEqualTo(2);
            assertThat(err.toString()).contains(name + " is not run alone");
        }
    }

    private static String python() {
        String python = System.getenv("INFERSCOPE_TEST_PYTHON");
        boolean torch = "1".equals(System.getenv("INFERSCOPE_TEST_TORCH")) && python != null;
        assumeTrue(
                torch || "1".equals(System.getenv("INFERSCOPE_REQUIRE_TORCH")),
                "SKIPPED: no Python with torch (scripts/test makes one)");
        return String.valueOf(python);
    }

    @Tag("torch")
    @Tag("process")
    @Test
    void itRunsWithPyTorchAlone() throws Exception {
        String python = python();
        assertThat(isolate("aten::addmm")).isZero();

        Process process = new ProcessBuilder(python, folder.resolve("op.py").toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said)
                .contains("argument: [7, 6] (1, 7) torch.float32", "argument: 2", "aten::addmm on ", "of 20 runs");
    }
}
