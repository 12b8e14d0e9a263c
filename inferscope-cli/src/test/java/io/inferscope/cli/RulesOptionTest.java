package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TraceFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --rules-file} on every command that makes a report. */
class RulesOptionTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path trace;
    private Path rules;

    @BeforeEach
    void prepare() {
        trace = TraceFile.ofHalfIdleDevice(folder);
        rules = folder.resolve("rules.yaml");
    }

    @Test
    void aReportGoesByTheFile() throws IOException {
        Files.writeString(rules, """
                disable: [gpu-idle]
                rules:
                  - id: idle-at-all
                    metric: idle.share
                    above: 5%
                    message: "Idle for {value}, more than {limit}."
                """);

        assertThat(execute("analyze", "--rules-file", rules.toString(), "--format", "json", trace.toString()))
                .isZero();

        assertThat(out.toString())
                .contains("\"user/idle-at-all\"", "Idle for 37.5%, more than 5.0%.", "disabled in " + rules + ":1");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void queriesAndSmallerTracesGoByTheFile() throws IOException {
        String query = "select rule from finding";
        assertThat(execute("query", trace.toString(), query)).isZero();
        assertThat(out.toString()).contains("gpu-idle");
        Files.writeString(rules, "disable: [gpu-idle]\n");
        out.getBuffer().setLength(0);

        assertThat(execute("query", "--rules-file", rules.toString(), trace.toString(), query))
                .isZero();
        assertThat(execute(
                        "minimize",
                        "--rules-file",
                        rules.toString(),
                        "--finding=gpu-idle",
                        "-o",
                        folder.resolve("small.json").toString(),
                        trace.toString()))
                .isEqualTo(2);

        assertThat(out.toString()).doesNotContain("gpu-idle");
        assertThat(err.toString()).contains("gpu-idle finds nothing in this trace");
    }

    @Test
    void theUserNamesAGpuThatTheRecordingDoesNot() {
        Path product = TraceFile.of(folder, "product.json", """
                [{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":20,
                  "args":{"Input Dims":[[4096,4096],[4096,4096]],"Input type":["c10::Half","c10::Half"]}},
                 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5,"dur":5,
                  "args":{"correlation":1}},
                 {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":1000,
                  "args":{"device":0,"stream":7,"correlation":1}}]
                """);

        assertThat(execute("analyze", "--gpu", "H100", "--format", "json", product.toString()))
                .isZero();
        assertThat(out.toString()).contains("\"H100 SXM\"", "\"roofline-gap\"");

        assertThat(execute("analyze", "--gpu", "Voodoo2", product.toString())).isEqualTo(2);
        assertThat(err.toString())
                .contains("--gpu Voodoo2: no peaks of it are known; there are GB200,", "device-peak.* in a rules file");
    }

    @Test
    void everyMistakeIsALineOfItsOwn() throws IOException {
        Files.writeString(rules, "thresholds: {gpu-idle.shre: 1}\ndisable: [gpu-ilde]\n");

        assertThat(execute("analyze", "--rules-file", rules.toString(), trace.toString()))
                .isEqualTo(2);

        assertThat(err.toString().lines())
                .containsExactly(
                        "inferscope: " + rules
                                + ":1: unknown threshold 'gpu-idle.shre' (did you mean 'gpu-idle.share'?)",
                        "inferscope: " + rules + ":2: unknown rule 'gpu-ilde' (did you mean 'gpu-idle'?)");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aFileThatIsNotThereIsInputThatCannotBeRead() {
        assertThat(execute("analyze", "--rules-file", rules.toString(), trace.toString()))
                .isEqualTo(3);

        assertThat(err.toString()).contains("there is no such rules file").hasLineCount(1);
    }

    @Test
    void aRunDoesNotBeginWithMistakes() throws Exception {
        Files.writeString(rules, "nonsense: 1\n");
        Path mark = folder.resolve("ran");

        InferScopeProcess.Result result = InferScopeProcess.here(
                "run", "--rules-file", folder.resolve("rules.yaml").toString(), "--", "touch", mark.toString());

        assertThat(result.exitCode()).isEqualTo(125);
        assertThat(result.stderr()).contains("inferscope: " + rules + ":1: unknown key 'nonsense'");
        assertThat(mark).doesNotExist();
    }

    @Test
    void aRunWithoutTheFileDoesNotBegin() throws Exception {
        Path mark = folder.resolve("ran");

        InferScopeProcess.Result result = InferScopeProcess.here(
                "run", "--rules-file", folder.resolve("no.yaml").toString(), "--", "touch", mark.toString());

        assertThat(result.exitCode()).isEqualTo(125);
        assertThat(result.stderr()).contains("no.yaml: there is no such rules file");
        assertThat(mark).doesNotExist();
    }

    private int execute(String... arguments) {
        return Main.run(Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)), arguments);
    }
}
