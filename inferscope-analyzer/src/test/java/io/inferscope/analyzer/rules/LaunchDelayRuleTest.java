package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class LaunchDelayRuleTest {
    private final Rule rule = new LaunchDelayRule();

    private static Timeline startingLate(double delayUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            double atUs = 1000.0 * i;
            fixture.kernel("7", atUs + 10, atUs + 500, "gemm").launchedBy("main", atUs, atUs + 5);
            fixture.kernel("7", atUs + 500 + delayUs, atUs + 900, "gemm").launchedBy("main", atUs + 500, atUs + 510);
        }
        return fixture.build();
    }

    @Test
    void aLateStartOnAnIdleGpuIsReported() {
        Finding finding = found(rule, startingLate(150));

        assertThat(finding.costNs()).isEqualTo(us(1500));
        assertThat(finding.claim())
                .contains("before kernels that start more than 100 us after their launch call")
                .endsWith("(10).");
        assertThat(finding.evidence()).anyMatch(e -> e.label().equals("longest: cudaLaunchKernel"));
    }

    @Test
    void aStartWithinTheLimitIsOnTime() {
        assertThat(clean(rule, startingLate(90))).startsWith("no kernels that start more than 100 us");
    }

    @Test
    void aQueueBeforeTheKernelIsNoDelay() {
        assertThat(clean(rule, RuleTimelines.queued(5, 10))).startsWith("no kernels");
    }
}
