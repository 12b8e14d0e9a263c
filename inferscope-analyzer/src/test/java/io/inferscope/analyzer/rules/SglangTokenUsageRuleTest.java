package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.readings;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SglangTokenUsageRuleTest {
    private final Rule rule = new SglangTokenUsageRule();

    @Test
    void requestsThatWaitBeforeAnEmptyCacheAreReported() {
        Finding finding = found(
                rule,
                readings(new double[] {50, 60, 0, 70}, new double[] {0.6, 0.95, 0.2, 0.5})
                        .build());

        assertThat(finding.claim())
                .startsWith("While requests wait, less than 90.0% of the KV cache is in use for 66.7% of the time");
        assertThat(finding.advice()).contains("--schedule-conservativeness 0.3");
        assertThat(finding.evidence()).contains(count("readings with waiting requests", 3));
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aFullCacheIsClean() {
        assertThat(clean(
                        rule,
                        readings(new double[] {50, 60}, new double[] {0.92, 0.95})
                                .build()))
                .isEqualTo("while requests wait, the KV cache is full for 100.0% of the time");
    }

    @Test
    void withoutAQueueNobodyWaits() {
        assertThat(clean(
                        rule,
                        readings(new double[] {0, 0}, new double[] {0.2, 0.2}).build()))
                .isEqualTo("no request waits");
    }

    @Test
    void saysNothingWithoutTheCounters() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank().scope("main", 0, 100, "serve").build()))
                .startsWith("sglang:num_queue_reqs or sglang:token_usage is not recorded");
    }
}
