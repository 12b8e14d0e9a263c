package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SyncPerStepRuleTest {
    private final Rule rule = new SyncPerStepRule();

    /** Six steps of 200 us with so many synchronising calls, after each of which the GPU is idle for 10 us. */
    private static TimelineFixture steps(int calls) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 6; step++) {
            double atUs = 200.0 * step;
            fixture.scope("main", atUs, atUs + 190, "ProfilerStep#" + step);
            for (int i = 0; i < 4; i++) {
                double kernelUs = atUs + 50 * i + 10;
                fixture.kernel("7", kernelUs, kernelUs + 40, "gemm").launchedBy("main", kernelUs - 4, kernelUs - 2);
                if (i < calls) {
                    fixture.call("main", kernelUs, kernelUs + 42, "cudaStreamSynchronize");
                }
            }
        }
        return fixture;
    }

    @Test
    void severalWaitsPerStepEmptyTheQueue() {
        Finding finding = found(rule, steps(3));

        assertThat(finding.claim()).startsWith("Each of 6 steps waits for the GPU 3 times, and needs its result once.");
        assertThat(finding.costNs()).isEqualTo(us(6 * 2 * 10));
        assertThat(finding.evidence()).contains(count("synchronising calls per step, median", 3));
    }

    /** A wait of 20 us before each kernel, and 700 us of other work after one of them. */
    @Test
    void whatFollowsAWaitCountsForAsLongAsTheWaitOnly() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 6; step++) {
            double atUs = 1000.0 * step;
            fixture.scope("main", atUs, atUs + 990, "ProfilerStep#" + step);
            for (double kernelUs : new double[] {atUs + 20, atUs + 80, atUs + 900}) {
                fixture.kernel("7", kernelUs, kernelUs + 18, "gemm")
                        .launchedBy("main", kernelUs - 4, kernelUs - 2)
                        .call("main", kernelUs, kernelUs + 20, "cudaStreamSynchronize");
            }
            fixture.scope("main", atUs + 110, atUs + 810, "preprocess");
        }

        assertThat(found(rule, fixture).costNs()).isEqualTo(us(6 * 2 * 20));
    }

    @Test
    void oneWaitPerStepIsNeeded() {
        assertThat(clean(rule, steps(1))).isEqualTo("1 synchronising calls in a step");
    }

    @Test
    void waitsUnderABusyGpuCostNothing() {
        assertThat(clean(rule, steps(3).kernel("8", 0, 1200, "other")))
                .isEqualTo(
                        "3 synchronising calls in a step; the GPU is idle after all but the last for 0.0% of the steady state");
    }
}
