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
    void everyMistakeIsALineOfItsOwn() throws IOException {
        Files.writeString(rules, "thresholds: {gpu-idle.shre: 1}\ndisable: [gpu-ilde]\n");

        assertThat(execute("analyze", "--rules-file", rules.toString(), trace.toString()))
                .isEqualTo(2);

        assertThat(err.toString().lines())
                .containsExactly(
                        "inferscope: " + rules
                                + ":1: unknown threshold 'gpu-idle.shre'; did you mean 'gpu-idle.share'?",
                        "inferscope: " + rules + ":2: unknown rule 'gpu-ilde'; did you mean 'gpu-idle'?");
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
