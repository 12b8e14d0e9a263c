package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class HotspotKernelRuleTest {
    private final Rule rule = new HotspotKernelRule();

    @Test
    void oneKernelIsMostOfTheTime() {
        Finding finding = found(rule, """
                us           0         10        20
                name k = softmax
                thread main  LLL
                stream 7     ..KKKKkkkkkkkkkkkkkk
                links 0-0 0-1
                """);

        assertThat(finding.claim())
                .startsWith("One kernel is 77.8% of the compute time, 14.0 us in 1 launches: softmax.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void kernelsThatShareTheTimeAreClean() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .kernel("7", 0, 40, "gemm")
                                .kernel("7", 40, 70, "softmax")
                                .kernel("7", 70, 100, "norm")
                                .build()))
                .isEqualTo("the longest kernel takes 40.0% of the compute time");
    }

    @Test
    void whereLittleIsComputedNoKernelMatters() {
        assertThat(clean(rule, """
                        us           0         10        20
                        stream 7     KK................DDDD
                        """))
                .isEqualTo("one kernel takes 100.0% of the compute time, but that is little of the span");
    }

    @Test
    void saysNothingWithoutDeviceWork() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  <aten::mm          >
                """)).isEqualTo("no device work is recorded");
    }
}
