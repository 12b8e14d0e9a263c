package io.inferscope.analyzer.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the gate says of real traces, all of them: a check that fires on a sound one, or no longer on a cut one, shows here. */
@Tag("traces")
class RealTrustTest {
    private static final String WITHHOLDS = "!";

    /** Failed checks by trace; {@code !} withholds the verdict. Of all others nothing fails. */
    private static final Map<String, List<String>> FAILED = Map.ofEntries(
            Map.entry("a100-cupti-ranges", List.of("!known-accelerator", "!launches-have-device-work")),
            Map.entry("backward-thread", List.of("first-operation-starts-at-once")),
            Map.entry("compare-base", List.of("!operations-have-launches")),
            Map.entry("compare-test", List.of("!operations-have-launches")),
            Map.entry("mi250-minitoy", List.of("steps-have-device-work")),
            Map.entry("mi300-qwen1.5", List.of("operations-have-launches")),
            Map.entry("mi300-sglang-decode-graph", List.of("!blocked-calls-have-device-work")),
            Map.entry("mi300-sglang-prefilldecode", List.of("!blocked-calls-have-device-work")),
            Map.entry("mtia-inference", List.of("operations-have-launches")),
            Map.entry("vllm-decode-graph", List.of("first-operation-starts-at-once")));

    static List<Path> traces() {
        return SharedTraces.kineto();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void whatFailsIsKnown(Path trace) throws Exception {
        List<String> failed = check(trace).values().stream()
                .filter(check -> !check.passed())
                .map(check -> (check.withholds() ? WITHHOLDS : "") + check.check())
                .toList();

        assertThat(failed)
                .isEqualTo(FAILED.getOrDefault(trace.getFileName().toString().replace(".json.gz", ""), List.of()));
    }

    @Test
    void theCallThatWaitedForMissingWorkIsNamed() throws Exception {
        for (String name : List.of("mi300-sglang-decode-graph", "mi300-sglang-prefilldecode")) {
            TrustCheck check = check(SharedTraces.kineto(name)).get("blocked-calls-have-device-work");

            assertThat(check).isNotNull();
            assertThat(check.detail())
                    .contains("one hipMemcpyWithStream alone 4")
                    .contains(" ms");
            assertThat(check.remedy()).contains("`rocprofv3 --runtime-trace -- COMMAND`");
        }
    }

    @Test
    void manySmallOverlapsRaiseNoAlarm() throws Exception {
        TrustCheck check = check(SharedTraces.kineto("b200-eager")).get("streams-do-not-overlap");

        assertThat(check).isNotNull();
        assertThat(check.passed()).isTrue();
        assertThat(check.detail()).startsWith("74 of 929 operations overlap the one before them on their stream");
    }

    private static Map<String, TrustCheck> check(Path trace) throws Exception {
        Map<String, TrustCheck> checks = new LinkedHashMap<>();
        TrustGate.check(Analysis.of(SharedTraces.timeline(trace), Thresholds.defaults()))
                .forEach(check -> checks.put(check.check(), check));
        return checks;
    }
}
