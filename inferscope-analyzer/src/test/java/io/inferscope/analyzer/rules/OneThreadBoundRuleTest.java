package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class OneThreadBoundRuleTest {
    private final Rule rule = new OneThreadBoundRule();

    /** A second of an idle GPU with a kernel at both ends, and a thread that is on a CPU for {@code cpuUs} of each 10 ms. */
    private static TimelineFixture idling(double cpuUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 10, 20, "gemm")
                .launchedBy("main", 0, 5)
                .kernel("7", 1_000_000, 1_000_010, "gemm")
                .launchedBy("main", 999_980, 999_990)
                .python("main", 10, 999_980, "app.py(7): parse");
        for (int i = 0; i < 100; i++) {
            fixture.state("main", 10_000.0 * i, 10_000.0 * (i + 1), cpuUs, 0, WaitReason.UNKNOWN);
        }
        return fixture;
    }

    @Test
    void aThreadThatNeverPausesSetsThePace() {
        Finding finding = found(rule, idling(10_000));

        assertThat(finding.claim())
                .startsWith(
                        "For 100.0% of the span the GPU is nearly idle while one thread, process 1, thread main, is on a CPU all the time");
        assertThat(finding.advice()).contains("num_workers");
    }

    @Test
    void aThreadThatWaitsDoesNot() {
        assertThat(clean(rule, idling(5_000)))
                .isEqualTo("the GPU idles behind a thread that never pauses for 0.0% of the span");
    }

    @Test
    void aBusyGpuIsNotHeldUp() {
        assertThat(clean(rule, idling(10_000).kernel("8", 20, 900_000, "gemm")))
                .startsWith("the GPU idles behind a thread that never pauses for ");
    }

    @Test
    void saysNothingWithoutCpuTimes() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  LL........LL
                stream 7     ..KK........KK
                links in order
                """)).isEqualTo("how long the launching thread was on a CPU is not recorded");
    }
}
