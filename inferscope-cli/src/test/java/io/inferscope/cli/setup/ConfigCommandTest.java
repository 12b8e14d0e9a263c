package io.inferscope.cli.setup;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.config.ConfigFile;
import io.inferscope.analyzer.config.RuleSections;
import io.inferscope.analyzer.rules.RuleSettings;
import io.inferscope.cli.InferScopeProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code config show}, and what settings do to commands, in processes of their own: environment and folder are the process's. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class ConfigCommandTest {
    @TempDir
    Path folder;

    @Test
    void everyValueIsShownWithItsPlace() throws Exception {
        Files.writeString(folder.resolve(".inferscope.yaml"), "log_level: warn\nthresholds: {gpu-idle.share: 12.5%}\n");

        InferScopeProcess.Result result = show(Map.of("INFERSCOPE_TRACE_SIZE_MB", "300"));

        assertThat(result.exitCode()).isZero();
        assertThat(result.stderr()).isEmpty();
        assertThat(squeezed(result.out()))
                .contains(
                        "  enabled: true # default",
                        "  log_level: warn # .inferscope.yaml:1",
                        "  trace_size_mb: 300 # INFERSCOPE_TRACE_SIZE_MB",
                        "  gpu-idle.share: 12.5% # set; default 5%",
                        "  verdict.gpu.share: 80% # default",
                        "  launch-bound.kernel-ns: 20000ns # default",
                        "default_trace_size_mb: 100 # of each recorder's file")
                .anySatisfy(line -> assertThat(line).startsWith("version: "))
                .anySatisfy(line -> assertThat(line).startsWith("platform: Linux "))
                .anySatisfy(line -> assertThat(line).startsWith("supported_frameworks: [pytorch, "))
                .contains("gpu_support:")
                .anySatisfy(line -> assertThat(line).startsWith("  recorded: [cuda, nvml, torch.profiler] # "));
    }

    @Test
    void whatIsShownCanStandInAFile() throws Exception {
        String out = show(Map.of()).out();
        ConfigFile shown =
                ConfigFile.of("shown", out.substring(out.indexOf("thresholds:")).getBytes(StandardCharsets.UTF_8));

        RuleSettings rules = RuleSections.ofRulesFile(shown, RuleSettings.DEFAULT);

        assertThat(shown.problems()).isEmpty();
        assertThat(Threshold.byKey().values())
                .allSatisfy(key -> assertThat(rules.thresholds().get(key)).isEqualTo(key.value()));
    }

    @Test
    void frameworksKnownByNameHaveHookTables() {
        assertThat(ConfigCommand.FRAMEWORKS)
                .allSatisfy(framework -> assertThat(
                                Path.of("..", "python", "inferscope", "hooks", framework.get(1) + ".py"))
                        .exists());
    }

    @Test
    void aRunThatIsNotEnabledRecordsNothing() throws Exception {
        Files.writeString(folder.resolve(".inferscope.yaml"), "enabled: false\n");

        InferScopeProcess.Result result =
                new InferScopeProcess(folder).run("run", "--", "sh", "-c", "echo out $INFERSCOPE_ENABLED; exit 7");

        assertThat(result.exitCode()).isEqualTo(7);
        assertThat(result.out()).isEqualTo("out 0\n");
        assertThat(result.stderr())
                .contains("recording is off (.inferscope.yaml:1)")
                .hasLineCount(1);
        assertThat(folder.resolve("outputs")).doesNotExist();
    }

    @Test
    void aQuietRunSaysNothingAndWritesItsReportWhereItIsSet() throws Exception {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        ProcessBuilder run = inferscope.builder("run", "--log-level", "error", "--", "sh", "-c", "exit 3");
        run.environment().put("INFERSCOPE_REPORT_PATH", "there.html");

        InferScopeProcess.Result result = inferscope.await(run.start());

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.stderr()).isEmpty();
        assertThat(folder.resolve("there.html")).exists();
    }

    @Test
    void analyzeWritesItsReportWhereItIsSetUnlessAnotherPlaceIsNamed() throws Exception {
        Files.writeString(folder.resolve("trace.json"), """
                {"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":10}]}
                """);

        InferScopeProcess.Result result = analyze("trace.json");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("InferScope: trace.json");
        assertThat(folder.resolve("there.md")).exists();
        Files.delete(folder.resolve("there.md"));
        assertThat(analyze("trace.json", "-o", "here.md").exitCode()).isZero();
        assertThat(analyze("trace.json", "--format", "json").out()).startsWith("{");
        assertThat(folder.resolve("there.md")).doesNotExist();
    }

    private InferScopeProcess.Result analyze(String... words) throws Exception {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        ProcessBuilder analyze = inferscope.builder(
                Stream.concat(Stream.of("analyze"), Stream.of(words)).toArray(String[]::new));
        analyze.environment().put("INFERSCOPE_REPORT_PATH", "there.md");
        return inferscope.await(analyze.start());
    }

    @Test
    void anUnknownLevelIsAUsageError() throws Exception {
        Path mark = folder.resolve("ran");

        InferScopeProcess.Result result =
                InferScopeProcess.here("run", "--log-level", "chatty", "--", "touch", mark.toString());

        assertThat(result.exitCode()).isEqualTo(125);
        assertThat(result.stderr()).contains("--log-level chatty: expected error, warn, info or debug");
        assertThat(mark).doesNotExist();
    }

    private InferScopeProcess.Result show(Map<String, String> environment) throws Exception {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        ProcessBuilder show = inferscope.builder("config", "show");
        show.environment().putAll(environment);
        return inferscope.await(show.start());
    }

    private static List<String> squeezed(String text) {
        return text.lines().map(line -> line.replaceAll(" +#", " #")).toList();
    }
}
