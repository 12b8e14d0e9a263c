package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class HalfOnCpuRuleTest {
    private final HalfOnCpuRule rule = new HalfOnCpuRule();

    /** Ten passes of 10 us; the first {@code half} are of a model with float16 weights. */
    private static TimelineFixture passes(int half) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "forward Net").activity(RangeActivity.MODEL);
        }
        for (int i = 0; i < half; i++) {
            fixture.counter("model.half_passes", 10 * i + 1, 1);
        }
        return fixture;
    }

    @Test
    void theShareOfThePassesIsTheCost() {
        Finding finding = found(rule, passes(6));

        assertThat(finding.claim())
                .startsWith("6 of 10 forward passes are of models with float16 weights")
                .endsWith("They compute for 60.0 us, 60.0% of the steady state.");
        assertThat(finding.advice()).contains("model.float()");
        assertThat(finding.gain()).isNull();
    }

    @Test
    void noneIsClean() {
        assertThat(clean(rule, passes(0))).isEqualTo("no forward pass has float16 weights that this CPU must convert");
    }

    @Test
    void aModelOnADeviceIsNotJudged() {
        notApplicable(rule, passes(6).kernel("7", 110, 120, "gemm").launchedBy("main", 101, 102));
    }
}
