package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SglangRetractionsRuleTest {
    private final Rule rule = new SglangRetractionsRule();

    private static TimelineFixture counting(String name, double... values) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 60e6 * values.length, "serve");
        for (int i = 0; i < values.length; i++) {
            fixture.counter(name, 60e6 * i, values[i]);
        }
        return fixture;
    }

    @Test
    void requestsTakenBackAreReported() {
        Finding finding = found(
                rule, counting("sglang:num_retracted_requests_total", 2, 5, 10).build());

        assertThat(finding.claim()).startsWith("SGLang retracted 8 requests, 4.0 a minute");
        assertThat(finding.advice()).contains("--schedule-conservativeness 1.3");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void theOlderGaugeCountsThoseOfEachPass() {
        assertThat(found(rule, counting("sglang:num_retracted_reqs", 3, 0, 4).build())
                        .claim())
                .startsWith("SGLang retracted 7 requests, 3.5 a minute");
    }

    @Test
    void oneAMinuteIsClean() {
        assertThat(clean(
                        rule,
                        counting("sglang:num_retracted_requests_total", 2, 3, 4).build()))
                .isEqualTo("2 requests were taken back");
    }

    @Test
    void saysNothingWithoutTheCounter() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank().scope("main", 0, 100, "serve").build()))
                .isEqualTo("sglang:num_retracted_requests_total is not recorded");
    }
}
