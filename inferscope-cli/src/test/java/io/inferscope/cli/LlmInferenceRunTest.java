package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.abort;

import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** A real torch program under observation: what InferScope says must be what the program clocked itself in the same run. */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("process")
@Tag("torch")
class LlmInferenceRunTest {
    private static final double POINTS = 3.0;

    private Map<String, Object> report = Map.of();
    private Map<String, Object> clock = Map.of();
    private int exitCode = -1;

    private Path folder = Path.of("");

    @BeforeAll
    void runTheExampleOnce(@TempDir Path made) throws Exception {
        folder = made;
        runTheExampleUnderObservation();
    }

    private void runTheExampleUnderObservation() throws Exception {
        String python = System.getenv("INFERSCOPE_TEST_PYTHON");
        if (!"1".equals(System.getenv("INFERSCOPE_TEST_TORCH")) || python == null) {
            String reason = "no Python with torch (scripts/test makes one): the torch example is not run";
            if ("1".equals(System.getenv("INFERSCOPE_REQUIRE_TORCH"))) {
                throw new AssertionError(reason);
            }
            System.out.println("SKIPPED: " + reason);
            abort(reason);
        }
        Path clockFile = folder.resolve("clock.json");
        Path reportFile = folder.resolve("report.json");
        InferScopeProcess.Result result = new InferScopeProcess(folder)
                .run(
                        "run",
                        "--report",
                        reportFile.toString(),
                        "--trace",
                        folder.resolve("trace.json.gz").toString(),
                        "--",
                        python,
                        repository().resolve("examples/llm_inference.py").toString(),
                        "--model",
                        "tiny",
                        "--rounds",
                        "10",
                        "--max-new-tokens",
                        "16",
                        "--output",
                        clockFile.toString());
        exitCode = result.exitCode();
        assertThat(exitCode).as(result.stderr()).isZero();
        clock = read(clockFile);
        report = read(reportFile);
    }

    private static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(at.resolve("examples/llm_inference.py"))) {
            at = at.getParent();
        }
        return at;
    }

    private static Map<String, Object> read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return Json.object(Json.parse(in));
        }
    }

    @Test
    void wallTimePerScopeIsWhatTheProgramClockedItself() throws Exception {
        QuietMachine.judge(this::runTheExampleUnderObservation, this::compareWithTheProgramsClock);
    }

    private void compareWithTheProgramsClock() {
        Map<String, Object> clockedNs = Json.object(clock.get("wall_ns"));
        double totalNs = ((Number) clockedNs.get("total")).doubleValue();
        Map<String, Long> scopes = scopes("wallNs");

        for (String phase : List.of("load", "tokenization", "generation", "decoding")) {
            double clocked = ((Number) clockedNs.get(phase)).doubleValue() * 100 / totalNs;
            double recorded = scopes.get(phase) * 100 / totalNs;
            assertThat(recorded).as(phase).isCloseTo(clocked, within(POINTS));
        }
    }

    @Test
    void hooksSeeWhatTheScopesAroundThemSee() {
        Map<String, Long> scopes = scopes("wallNs");

        assertThat(scopes).containsKeys("tokenize", "generate", "detokenize", "import torch");
        assertThat(scopes.keySet()).anyMatch(name -> name.startsWith("forward "));
        assertThat(scopes.get("generate")).isLessThanOrEqualTo(scopes.get("generation"));
        assertThat(scopes.get("tokenize")).isLessThanOrEqualTo(scopes.get("tokenization"));
    }

    @Test
    void theLedgerExplainsNearlyAllOfTheWindow() throws Exception {
        QuietMachine.judge(this::runTheExampleUnderObservation, this::checkLedger);
    }

    private void checkLedger() {
        Map<String, Object> ledger =
                Json.object(Json.list(report.get("ledgers")).get(0));
        double unattributed = Json.list(ledger.get("classes")).stream()
                .map(Json::object)
                .filter(c -> c.get("id").equals("unattributed"))
                .mapToDouble(c -> ((Number) c.get("share")).doubleValue())
                .sum();

        assertThat(unattributed).isLessThan(0.02);
        long sum = Json.list(ledger.get("classes")).stream()
                .mapToLong(c -> (Long) Json.object(c).get("ns"))
                .sum();
        assertThat(sum).isEqualTo(ledger.get("durationNs"));
    }

    @Test
    void everyModelHookSaysHowOftenItSawSomething() {
        Map<String, Long> scopes = scopes("count");

        assertThat(scopes.get("generate")).isEqualTo(scopes.get("generation"));
        assertThat(scopes.get("detokenize")).isPositive();
    }

    private Map<String, Long> scopes(String member) {
        Map<String, Long> values = new HashMap<>();
        for (Object element : Json.list(report.get("scopes"))) {
            Map<String, Object> scope = Json.object(element);
            values.put((String) scope.get("name"), (Long) scope.get(member));
        }
        return values;
    }
}
