package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SlowLaunchCallsRuleTest {
    private final Rule rule = new SlowLaunchCallsRule();

    private static Timeline calling(double callUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            double atUs = 200.0 * i;
            fixture.kernel("7", atUs + callUs + 5, atUs + 150, "gemm").launchedBy("main", atUs, atUs + callUs);
        }
        return fixture.build();
    }

    @Test
    void slowCallsUnderAnIdleGpuAreReported() {
        Finding finding = found(rule, calling(60));

        assertThat(finding.costNs()).isEqualTo(us(9 * 60));
        assertThat(finding.claim()).endsWith("of its span, inside launch calls of more than 50.0 us (10).");
    }

    @Test
    void quickCallsAreClean() {
        assertThat(clean(rule, calling(40))).isEqualTo("no launch calls of more than 50.0 us");
    }

    @Test
    void slowCallsUnderABusyGpuCostNothing() {
        assertThat(clean(rule, RuleTimelines.queued(100, 300)))
                .isEqualTo("1 launch calls of more than 50.0 us; the GPU is idle for 0.0% of the span meanwhile");
    }
}
