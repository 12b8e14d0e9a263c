package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class VllmFewSequencesRuleTest {
    private final Rule rule = new VllmFewSequencesRule();

    private static Timeline serving(double[] waiting, double[] running, double usage) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "serve");
        for (int i = 0; i < waiting.length; i++) {
            fixture.counter("vllm:num_requests_waiting{engine=\"0\"}", 10 + 10 * i, waiting[i])
                    .counter("vllm:num_requests_running{engine=\"0\"}", 10 + 10 * i, running[i])
                    .counter("vllm:kv_cache_usage_perc{engine=\"0\"}", 10 + 10 * i, usage);
        }
        return fixture.build();
    }

    @Test
    void requestsThatWaitBesideAnEmptyCacheAreReportedWithTheLimit() {
        Finding finding = found(rule, serving(new double[] {0, 7, 6, 7}, new double[] {1, 1, 1, 1}, 0.02));

        assertThat(finding.claim())
                .isEqualTo(
                        "In 75.0% of the readings requests wait while 1 run, and never more run, with at most 2.0% of the KV cache in use: the limit of requests at once holds them back.");
        assertThat(finding.advice()).contains("--max-num-seqs 8");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aFullCacheOrABurstIsClean() {
        assertThat(clean(rule, serving(new double[] {0, 7, 6, 7}, new double[] {1, 1, 1, 1}, 0.97)))
                .isEqualTo("requests wait, and 97.0% of the KV cache is in use");
        assertThat(clean(rule, serving(new double[] {7, 0, 0, 0}, new double[] {4, 8, 8, 8}, 0.02)))
                .isEqualTo("requests wait, with as many running as ever, in 0.0% of the readings");
    }

    @Test
    void saysNothingWithoutTheCounters() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank().scope("main", 0, 100, "serve").build()))
                .contains("is not recorded");
    }
}
