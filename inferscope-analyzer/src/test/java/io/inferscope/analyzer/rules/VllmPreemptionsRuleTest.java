package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class VllmPreemptionsRuleTest {
    private final Rule rule = new VllmPreemptionsRule();

    private static TimelineFixture serving() {
        return TimelineFixture.blank().scope("main", 0, 100, "serve");
    }

    @Test
    void preemptedRequestsAreReportedWithWhatFits() {
        Finding finding = found(
                rule,
                serving()
                        .counter("vllm:num_preemptions_total{model_name=\"m\"}", 10, 3)
                        .counter("vllm:num_preemptions_total{model_name=\"m\"}", 90, 10)
                        .counter("vllm:num_requests_running{model_name=\"m\"}", 10, 180)
                        .counter("vllm:num_requests_running{model_name=\"m\"}", 50, 190)
                        .counter("vllm:num_requests_running{model_name=\"m\"}", 90, 256)
                        .counter("vllm:kv_cache_usage_perc{model_name=\"m\"}", 90, 0.99)
                        .build());

        assertThat(finding.claim()).startsWith("vLLM preempted 7 requests");
        assertThat(finding.advice()).contains("--gpu-memory-utilization 0.95", "--max-num-seqs 190");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aCounterThatStandsStillIsClean() {
        assertThat(clean(
                        rule,
                        serving()
                                .counter("vllm:num_preemptions_total", 10, 3)
                                .counter("vllm:num_preemptions_total", 90, 3)
                                .build()))
                .isEqualTo("no request was preempted");
    }

    @Test
    void saysNothingWithoutTheCounter() {
        assertThat(notApplicable(rule, serving().build())).isEqualTo("vllm:num_preemptions_total is not recorded");
    }
}
