package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.readings;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SglangEmptyQueueRuleTest {
    private final Rule rule = new SglangEmptyQueueRule();

    @Test
    void anEmptyQueueAndAnEmptyCacheSayThatClientsAreSlow() {
        Finding finding = found(
                rule,
                readings(new double[] {0, 0, 0, 0}, new double[] {0.2, 0.3, 0.2, 0.1})
                        .build());

        assertThat(finding.claim())
                .startsWith(
                        "For 100.0% of the time no request waits in SGLang's queue, and only 20.0% of the KV cache is in use");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void waitingRequestsAreClean() {
        assertThat(clean(
                        rule,
                        readings(new double[] {100, 120, 90, 0}, new double[] {0.2, 0.3, 0.2, 0.1})
                                .build()))
                .isEqualTo("requests wait for 75.0% of the time");
    }

    @Test
    void aFullCacheNeedsNoQueue() {
        assertThat(clean(
                        rule,
                        readings(new double[] {0, 0}, new double[] {0.95, 0.96}).build()))
                .isEqualTo("no request waits, and the KV cache is in use");
    }

    @Test
    void saysNothingWithoutTheCounters() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank().scope("main", 0, 100, "serve").build()))
                .startsWith("sglang:num_queue_reqs or sglang:token_usage is not recorded");
    }
}
