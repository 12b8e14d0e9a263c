package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class DeviceAllocationRuleTest {
    private final Rule rule = new DeviceAllocationRule();

    @Test
    void allocatingUnderAnIdleGpuCosts() {
        Finding finding = found(rule, """
                us           0         10        20        30
                thread main  LL..{cudaMalloc}{cudaFree}LL
                stream 7     ..KK......................KKKK
                links 0-0 3-1
                """);

        assertThat(finding.costNs()).isEqualTo(us(22));
        assertThat(finding.claim()).contains("2 calls that allocate or free memory");
        assertThat(finding.advice()).contains("expandable_segments");
    }

    @Test
    void allocatingUnderAKernelCostsNothing() {
        assertThat(clean(rule, """
                        us           0         10        20        30
                        thread main  LL..{cudaMalloc}
                        stream 7     ..KKKKKKKKKKKKKKKKKK
                        links 0-0
                        """)).contains("the GPU is idle for 0.0% of the span meanwhile");
    }

    @Test
    void reusedMemoryIsClean() {
        assertThat(clean(rule, """
                        us           0         10        20
                        thread main  LL..LL
                        stream 7     ..KK..KK
                        links in order
                        """)).isEqualTo("no calls that allocate or free memory");
    }
}
