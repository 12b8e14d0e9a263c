package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class HotspotKernelRuleTest {
    private final Rule rule = new HotspotKernelRule();

    /** Ten kernels of two names, {@code firstUs} and {@code secondUs} long, one after the other. */
    private static TimelineFixture kernels(double firstUs, double secondUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        double atUs = 0;
        for (int i = 0; i < 5; i++) {
            fixture.kernel("7", atUs, atUs + firstUs, "softmax");
            fixture.kernel("7", atUs + firstUs, atUs + firstUs + secondUs, "gemm");
            atUs += firstUs + secondUs;
        }
        return fixture;
    }

    @Test
    void oneKernelIsMostOfTheTime() {
        Finding finding = found(rule, kernels(14, 4));

        assertThat(finding.claim())
                .startsWith("One kernel is 77.8% of the compute time, 70.0 us in 5 launches: softmax.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void kernelsThatShareTheTimeAreClean() {
        assertThat(clean(rule, kernels(5, 5).kernel("7", 50, 60, "norm")))
                .isEqualTo("the longest kernel takes 41.7% of the compute time");
    }

    @Test
    void halfIsNotMost() {
        assertThat(clean(rule, kernels(5, 5))).isEqualTo("the longest kernel takes 50.0% of the compute time");
    }

    @Test
    void whereLittleIsComputedNoKernelMatters() {
        assertThat(clean(rule, kernels(14, 4).d2h("7", 90, 1000, "Memcpy DtoH")))
                .isEqualTo("one kernel takes 77.8% of the compute time, but that is little of the span");
    }

    @Test
    void aFewKernelsTellNothing() {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKK
                        """)).isEqualTo("1 kernels are too few to speak of a hotspot");
    }

    @Test
    void aGraphRecordedAsAWholeIsNoKernel() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.kernel("7", 20 * i, 20 * i + 19, "CUDA graph 3 (recorded as a whole)");
        }

        assertThat(clean(rule, fixture.build()))
                .isEqualTo("most of the compute time is in graphs that were recorded as a whole");
    }
}
