package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SglangFreeMemoryRuleTest {
    private final Rule rule = new SglangFreeMemoryRule();

    private static TimelineFixture memory(double usedGigabytes, double totalGigabytes) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "serve")
                .counter("nvml.memory_used_bytes{device=\"1\"}", 10, usedGigabytes * 5e8)
                .counter("nvml.memory_used_bytes{device=\"1\"}", 90, usedGigabytes * 1e9)
                .counter("nvml.memory_total_bytes{device=\"1\"}", 10, totalGigabytes * 1e9);
    }

    @Test
    void freeMemoryBesideAFullCacheIsReported() {
        Finding finding = found(
                rule, memory(60, 80).counter("sglang:token_usage", 50, 0.97).build());

        assertThat(finding.claim()).contains("at least 18.6 GiB of every device's memory stay free");
        assertThat(finding.advice()).startsWith("Raise `--mem-fraction-static` by 0.15");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void littleFreeMemoryIsClean() {
        assertThat(clean(
                        rule,
                        memory(73, 80).counter("sglang:token_usage", 50, 0.97).build()))
                .isEqualTo("6.52 GiB of the fullest device's memory stay free");
    }

    @Test
    void aCacheWithRoomNeedsNoMore() {
        assertThat(clean(
                        rule,
                        memory(60, 80).counter("sglang:token_usage", 50, 0.5).build()))
                .isEqualTo("the KV cache has room, at most 50.0% of it are in use");
    }

    @Test
    void saysNothingWithoutTheCounters() {
        assertThat(notApplicable(rule, memory(60, 80).build())).startsWith("sglang:token_usage or");
    }
}
