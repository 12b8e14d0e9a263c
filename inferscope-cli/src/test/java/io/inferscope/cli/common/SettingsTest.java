package io.inferscope.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.trust.TrustGate;
import io.inferscope.cli.common.Settings.Value;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(Setting.class)
    void whereNothingIsSetTheDefaultHolds(Setting setting) {
        assertThat(settings(Map.of()).value(setting)).isEqualTo(new Value(setting.fallback(), "default"));
    }

    @Test
    void theFileStandsAboveTheDefaultAndTheEnvironmentAboveTheFile() throws IOException {
        file("trace_size_mb: 200\nlog_level: debug\n");

        Settings settings = settings(Map.of("INFERSCOPE_TRACE_SIZE_MB", "300"));

        assertThat(settings.value(Setting.TRACE_SIZE_MB)).isEqualTo(new Value("300", "INFERSCOPE_TRACE_SIZE_MB"));
        assertThat(settings.value(Setting.LOG_LEVEL)).isEqualTo(new Value("debug", ".inferscope.yaml:2"));
        assertThat(warnings(settings)).isEmpty();
    }

    @Test
    void aBadValueGivesWayToTheNextWithAWarning() throws IOException {
        file("trace_size_mb: 200\nlog_level: chatty\nreport_path: [a]\n");

        Settings settings = settings(Map.of("INFERSCOPE_TRACE_SIZE_MB", "much", "INFERSCOPE_REPORT_PATH", "a.pdf"));

        assertThat(settings.get(Setting.TRACE_SIZE_MB)).isEqualTo("200");
        assertThat(settings.get(Setting.LOG_LEVEL)).isEqualTo("info");
        assertThat(settings.reportPath()).isEmpty();
        assertThat(warnings(settings))
                .containsExactlyInAnyOrder(
                        "inferscope: warning: .inferscope.yaml:2: log_level must be error, warn, info or debug, not 'chatty'; it stays info",
                        "inferscope: warning: INFERSCOPE_TRACE_SIZE_MB must be 1 to 1048576, not 'much'; it stays 200",
                        "inferscope: warning: INFERSCOPE_REPORT_PATH must be a file whose name ends in .md, .html, .json or .txt,"
                                + " not 'a.pdf'; it stays unset",
                        "inferscope: warning: .inferscope.yaml:3: report_path must be a text, not a list");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../victim.json", "%s/victim.json", "link.json", "dangling.json", "sub/../../victim.json"})
    void aFileOfSettingsDecidesAboutItsOwnFolderAlone(String path) throws IOException {
        Path outside = Files.createTempDirectory("inferscope-test");
        Files.writeString(outside.resolve("victim.json"), "precious");
        Files.createSymbolicLink(folder.resolve("link.json"), outside.resolve("victim.json"));
        Files.createSymbolicLink(folder.resolve("dangling.json"), outside.resolve("none.json"));
        file("report_path: " + path.formatted(outside) + "\nrules_file: " + path.formatted(outside) + "\n");

        Settings settings = settings(Map.of());

        assertThat(settings.reportPath()).isEmpty();
        assertThat(settings.get(Setting.RULES_FILE)).isEmpty();
        assertThat(warnings(settings)).hasSize(2).allMatch(line -> line.contains("must be a file in this folder"));
        file("report_path: sub/new.json\n");
        assertThat(settings(Map.of()).reportPath()).contains(Path.of("sub/new.json"));
        Files.delete(folder.resolve("link.json"));
        Files.delete(folder.resolve("dangling.json"));
        Files.delete(outside.resolve("victim.json"));
        Files.delete(outside);
    }

    @Test
    void aHugeFileOfSettingsIsNotRead() throws IOException {
        file("#".repeat((1 << 20) + 1));
        assertThat(warnings(settings(Map.of()))).singleElement().asString().contains("larger than 1 MiB");
    }

    @Test
    void warningsAreSaidOnce() throws IOException {
        file("log_level: chatty\n");
        Settings settings = settings(Map.of());

        assertThat(warnings(settings)).hasSize(1);
        assertThat(warnings(settings)).isEmpty();
    }

    @Test
    void mistakesInTheFileAreWarningsAndTheRestHolds() throws IOException {
        file("""
                thresholds: {gpu-idle.share: 10%, gpu-idle.shre: 5%}
                disable: [sleeping]
                nonsense: 1
                """);
        Settings settings = settings(Map.of());

        assertThat(settings.rules().thresholds().get(Threshold.byKey().get("gpu-idle.share")))
                .isEqualTo(0.1);
        assertThat(settings.rules().disabled()).isEqualTo(Map.of("sleeping", ".inferscope.yaml:2"));
        assertThat(warnings(settings))
                .containsExactlyInAnyOrder(
                        "inferscope: warning: .inferscope.yaml:1: unknown threshold 'gpu-idle.shre' (did you mean 'gpu-idle.share'?)",
                        "inferscope: warning: .inferscope.yaml:3: unknown key 'nonsense'");
    }

    @Test
    void aFileThatIsNoYamlIsAWarning() throws IOException {
        file("log_level: [debug\n");
        Settings settings = settings(Map.of());

        assertThat(settings.get(Setting.LOG_LEVEL)).isEqualTo("info");
        assertThat(warnings(settings)).singleElement().asString().startsWith("inferscope: warning: .inferscope.yaml:");
    }

    @Test
    void theMarginOfClocksIsALimitThatTheFileCanSayMoreExactly() throws IOException {
        assertThat(settings(Map.of("INFERSCOPE_SYNC_ERROR_MARGIN_US", "250"))
                        .rules()
                        .thresholds()
                        .get(TrustGate.CLOCK_ERROR))
                .isEqualTo(250_000);
        file("sync_error_margin_us: 300\nthresholds: {trust.clock-error.ns: 2ms}\n");
        assertThat(settings(Map.of()).rules().thresholds().get(TrustGate.CLOCK_ERROR))
                .isEqualTo(2_000_000);
    }

    @ParameterizedTest
    @CsvSource({
        "ENABLED, 0, true",
        "ENABLED, Off, true",
        "ENABLED, maybe, false",
        "LOG_LEVEL, WARNING, true",
        "LOG_LEVEL, trace, false",
        "TRACE_SIZE_MB, 0, false",
        "TRACE_SIZE_MB, 1048576, true",
        "TRACE_SIZE_MB, 1048577, false",
        "TRACE_SIZE_MB, 99999999999999999999, false",
        "TRACE_SIZE_MB, 1.5, false",
        "REPORT_PATH, a/b.html, true",
        "REPORT_PATH, a, false",
        "SYNC_ERROR_MARGIN_US, 1, true",
        "SYNC_ERROR_MARGIN_US, -1, false",
        "RULES_FILE, rules.yaml, true"
    })
    void valuesAreChecked(Setting setting, String text, boolean good) {
        assertThat(setting.accepts(text)).isEqualTo(good);
    }

    @Test
    void theManualListsEverySetting() throws IOException {
        List<String> listed = new ArrayList<>();
        Pattern row = Pattern.compile("^\\| `([a-z_]+)` \\| `(INFERSCOPE_[A-Z_]+)` \\|.*");
        for (String line : Files.readAllLines(Path.of("..", "docs", "settings.md"))) {
            var cells = row.matcher(line);
            if (cells.matches()) {
                listed.add(cells.group(1) + ' ' + cells.group(2));
            }
        }
        List<String> expected = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            expected.add(setting.key() + ' ' + setting.variable());
        }
        assertThat(listed).isEqualTo(expected);
    }

    private Settings settings(Map<String, String> environment) {
        return new Settings(environment, folder);
    }

    private void file(String text) throws IOException {
        Files.writeString(folder.resolve(Settings.FILE), text);
    }

    private static List<String> warnings(Settings settings) {
        StringWriter err = new StringWriter();
        settings.rules();
        settings.warn(new PrintWriter(err));
        return err.toString().lines().toList();
    }
}
