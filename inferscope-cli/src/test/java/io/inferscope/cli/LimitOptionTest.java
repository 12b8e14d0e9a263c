package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.LimitOption;
import io.inferscope.collectors.run.CommandFailure;
import io.inferscope.timeline.fixture.TraceFile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code --fail-on} of commands that explain one recording: exit codes, the reason on standard error, and that the report is there all the same. */
@Tag("process")
class LimitOptionTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path trace;

    @BeforeEach
    void prepare() {
        trace = TraceFile.ofHalfIdleDevice(folder);
    }

    @Test
    void aCrossedLimitIsExitCodeOneWithItsReasonAfterTheReport() {
        Path report = folder.resolve("report.md");

        assertThat(analyze("idle>20%,wall>1s", "-o", report.toString())).isEqualTo(LimitOption.CROSSED);

        assertThat(err.toString())
                .contains("inferscope: limit crossed: idle>20%: idle is 37.5% of the span of device 0")
                .doesNotContain("wall");
        assertThat(report).isNotEmptyFile();
    }

    @Test
    void aKeptLimitIsExitCodeZero() {
        assertThat(analyze("idle>40%,wall>1s")).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString()).contains("InferScope: trace.json");
    }

    @Test
    void whatIsNotUnderstoodIsAUsageErrorBeforeAnyWork() {
        assertThat(analyze("idel>20%")).isEqualTo(Failures.USAGE);
        assertThat(err.toString()).contains("--fail-on").contains("idel");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aRunFailsByItsLimit() throws Exception {
        assertThat(run("wall>0ms", "exit 0")).isEqualTo(LimitOption.CROSSED);
        assertThat(err.toString()).contains("inferscope: limit crossed: wall>0ms: wall is ");
        assertThat(folder.resolve("r.md")).isNotEmptyFile();
    }

    @Tag("slow")
    @Test
    @EnabledOnOs(OS.LINUX)
    void aRunThatFailsOrKeepsItsLimitHasTheCommandsExitCode() throws Exception {
        assertThat(run("wall>0ms", "exit 3")).isEqualTo(3);
        assertThat(run("wall>60min", "exit 0")).isZero();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aRunDoesNotBeginWithALimitThatIsNotUnderstood() throws Exception {
        assertThat(run("wall>", "touch began")).isEqualTo(CommandFailure.INFERSCOPE_FAILED);
        assertThat(folder.resolve("began")).doesNotExist();
    }

    private int analyze(String limits, String... more) {
        String[] words = new String[4 + more.length];
        words[0] = "analyze";
        words[1] = "--fail-on";
        words[2] = limits;
        words[3] = trace.toString();
        System.arraycopy(more, 0, words, 4, more.length);
        return Main.run(Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)), words);
    }

    private int run(String limits, String script) throws Exception {
        InferScopeProcess.Result result = new InferScopeProcess(folder)
                .run("run", "--fail-on", limits, "-o", "r.md", "--trace", "t.json", "--", "sh", "-c", script);
        err.getBuffer().setLength(0);
        err.append(result.stderr());
        return result.exitCode();
    }
}
