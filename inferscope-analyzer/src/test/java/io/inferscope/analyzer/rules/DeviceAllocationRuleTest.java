package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
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

    /** Each of 30 kernels has a buffer of its own, as without PyTorch's caching allocator. */
    @Test
    void anAllocationForEachKernelMeansThatNothingIsCached() {
        assertThat(found(rule, allocating(1)).advice())
                .startsWith("About each tensor is allocated and freed by the driver");
        assertThat(found(rule, allocating(6)).advice()).startsWith("Allocate before the steady state and keep it");
    }

    private static Timeline allocating(int every) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 30; i++) {
            double us = 100 * i;
            if (i % every == 0) {
                fixture.call("main", us, us + 20, "cudaMalloc").call("main", us + 60, us + 80, "cudaFree");
            }
            fixture.operator("main", us + 25, us + 40, "aten::mm");
            fixture.kernel("7", us + 34, us + 50, "gemm").launchedBy("main", us + 30, us + 32);
        }
        return fixture.build();
    }
}
