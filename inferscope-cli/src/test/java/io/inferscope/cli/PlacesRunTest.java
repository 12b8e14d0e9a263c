package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real programs whose cost lies at one line: that line is named, and its cost is told once. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class PlacesRunTest {
    @TempDir
    Path folder;

    private List<Map<String, Object>> findings(String... command) throws Exception {
        String[] words = new String[command.length + 4];
        List.of("run", "-o", "report.json", "--").toArray(words);
        System.arraycopy(command, 0, words, 4, command.length);
        Result result = new InferScopeProcess(folder).run(words);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        try (InputStream in = Files.newInputStream(folder.resolve("report.json"))) {
            return Json.list(Json.object(Json.parse(in)).get("findings")).stream()
                    .map(Json::object)
                    .filter(finding -> !"cpu-contention".equals(finding.get("rule")))
                    .toList();
        }
    }

    /** Each of its scopes is far shorter than the time between two samples. */
    @Test
    void theDeepestLineOfShortScopesIsThePlace() throws Exception {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(root.resolve("examples/quickstart.py"))) {
            root = root.getParent();
        }
        String program = root.resolve("examples/quickstart.py").toString();
        QuietMachine.judge(attempt -> {
            List<Map<String, Object>> findings = findings("python3", program);

            assertThat((String) findings.get(0).get("claim"))
                    .matches("quickstart\\.py:7\\d merge_word.*: Tokenization takes .*")
                    .containsOnlyOnce("% of the steady state");
            assertThat(findings).noneMatch(finding -> ((String) finding.get("claim")).contains(" main"));
        });
    }
}
