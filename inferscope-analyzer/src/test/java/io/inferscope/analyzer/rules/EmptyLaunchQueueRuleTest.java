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

class EmptyLaunchQueueRuleTest {
    private final Rule rule = new EmptyLaunchQueueRule();

    /** Kernels of 5 us, launched every {@code periodUs}. */
    private static Timeline kernels(int count, double periodUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        double freeUs = 0;
        for (int i = 0; i < count; i++) {
            double callUs = periodUs * i;
            double startUs = Math.max(callUs + 4, freeUs);
            freeUs = startUs + 5;
            fixture.kernel("7", startUs, freeUs, "gemm").launchedBy("main", callUs, callUs + 2);
        }
        return fixture.build();
    }

    @Test
    void kernelsThatNeverQueueSayThatTheHostSetsThePace() {
        Finding finding = found(rule, kernels(100, 20));

        assertThat(finding.claim())
                .startsWith("100.0% of 100 kernels start within twice the least launch latency (4.00 us)")
                .endsWith("Launching and queueing take 400 us in all (TKLQT).");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void aQueueSaysThatTheGpuDoes() {
        assertThat(clean(rule, kernels(100, 3))).endsWith("of the kernels queue before they start");
    }

    @Test
    void anEmptyQueueBeforeABusyGpuIsHealthy() {
        assertThat(clean(rule, kernels(100, 5.5))).isEqualTo("no kernel queues, but the GPU is busy");
    }

    @Test
    void aFewKernelsTellNothing() {
        assertThat(notApplicable(rule, kernels(99, 20))).startsWith("too few kernels");
    }
}
