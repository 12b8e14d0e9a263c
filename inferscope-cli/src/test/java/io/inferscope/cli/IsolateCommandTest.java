package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    @Tag("torch")
    @Tag("process")
    @Test
    void itRunsWithPyTorchAlone() throws Exception {
        String python = System.getenv("INFERSCOPE_TEST_PYTHON");
        boolean torch = "1".equals(System.getenv("INFERSCOPE_TEST_TORCH")) && python != null;
        assumeTrue(
                torch || "1".equals(System.getenv("INFERSCOPE_REQUIRE_TORCH")),
                "SKIPPED: no Python with torch (scripts/test makes one)");
        assertThat(isolate("aten::addmm")).isZero();

        Process process = new ProcessBuilder(
                        String.valueOf(python), folder.resolve("op.py").toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said)
                .contains("argument: [7, 6] (1, 7) torch.float32", "argument: 2", "aten::addmm on ", "of 20 runs");
    }
}
