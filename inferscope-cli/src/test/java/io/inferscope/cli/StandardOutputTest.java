package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.common.Failures;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TraceFile;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a command whose output nobody takes, with a real process. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("process")
class StandardOutputTest {
    private static final String ENDLESS =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";

    @TempDir
    private Path folder;

    /** Each way to write once, but where all seeds are taken. */
    static List<List<String>> commands() {
        return allCommands().stream()
                .filter(command -> Seeds.areAll() || command.contains("analyze"))
                .toList();
    }

    private static List<List<String>> allCommands() {
        return List.of(
                List.of("query", "trace.json", "--format", "csv", ENDLESS),
                List.of("query", "trace.json", "--format", "json", ENDLESS),
                List.of("analyze", "trace.json", "--format", "json"),
                List.of("config", "show"),
                List.of("analyze", "--help"));
    }

    @BeforeEach
    void writeTrace() {
        TraceFile.ofHalfIdleDevice(folder);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aReaderThatHasGoneEndsACommandQuietly(List<String> command) throws Exception {
        InferScopeProcess.Result result = run("set -o pipefail; \"$@\" | true", command);

        assertThat(result.stderr()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void outputThatHasNoRoomIsAFailureInOneLine(List<String> command) throws Exception {
        InferScopeProcess.Result result = run("\"$@\" > /dev/full", command);

        assertThat(result.stderr()).isEqualTo("inferscope: cannot write to standard output: No space left on device\n");
        assertThat(result.exitCode()).isEqualTo(Failures.ENVIRONMENT);
    }

    private InferScopeProcess.Result run(String script, List<String> command) throws Exception {
        return new InferScopeProcess(folder, "bash", "-c", script, "bash").run(command.toArray(String[]::new));
    }
}
