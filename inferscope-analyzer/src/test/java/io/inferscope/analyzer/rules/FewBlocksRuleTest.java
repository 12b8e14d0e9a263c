package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class FewBlocksRuleTest {
    private final Rule rule = new FewBlocksRule();

    private static TimelineFixture device() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.builder().property("device.0.sms", "28");
        return fixture;
    }

    private static TimelineFixture kernel(
            TimelineFixture fixture,
            String stream,
            double fromUs,
            double toUs,
            String name,
            long blocks,
            long threads) {
        return fixture.kernel(stream, fromUs, toUs, name)
                .attribute(Attribute.GRID_BLOCKS, blocks)
                .attribute(Attribute.BLOCK_THREADS, threads);
    }

    @Test
    void aKernelOfOneThreadLeavesTheGpuEmpty() {
        Finding finding = found(rule, kernel(device(), "7", 0, 900, "reduce", 1, 1));

        assertThat(finding.costNs()).isEqualTo(us(900));
        assertThat(finding.claim())
                .contains("less than 50.0% of its 28 multiprocessors: the longest has 1 block of 1 thread");
        assertThat(finding.places()).containsExactly("reduce");
    }

    @Test
    void timeBesideAKernelThatFillsTheGpuDoesNotCount() {
        TimelineFixture fixture = kernel(device(), "7", 0, 900, "reduce", 6, 128);
        Finding finding = found(rule, kernel(fixture, "8", 100, 800, "gemm", 96, 256));

        assertThat(finding.costNs()).isEqualTo(us(200));
        assertThat(finding.claim()).contains("6 blocks of 128 threads");
    }

    @Test
    void smallKernelsSideBySideFillTheGpu() {
        TimelineFixture fixture = device();
        for (int stream = 0; stream < 4; stream++) {
            kernel(fixture, "" + stream, 0, 900, "part", 4, 256);
        }

        assertThat(clean(rule, fixture)).startsWith("kernels with blocks for less than 50.0%");
    }

    @Test
    void aCollectiveNeedsFewBlocks() {
        TimelineFixture fixture = kernel(device(), "7", 0, 900, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 6, 640);

        assertThat(clean(rule, fixture)).isNotEmpty();
    }

    @Test
    void briefKernelsAreLaunchedTooOftenInstead() {
        TimelineFixture fixture = device();
        for (int i = 0; i < 9; i++) {
            kernel(fixture, "7", 10 * i, 10 * i + 9, "add", 1, 256);
        }

        assertThat(clean(rule, fixture)).isNotEmpty();
    }

    @Test
    void aKernelOfUnknownConfigurationMayFillTheGpu() {
        TimelineFixture fixture = kernel(device(), "7", 0, 900, "reduce", 1, 1);

        assertThat(clean(rule, fixture.kernel("8", 0, 900, "gemm"))).isNotEmpty();
    }

    @Test
    void withoutLaunchConfigurationsItIsNotKnown() {
        assertThat(notApplicable(rule, device().kernel("7", 0, 900, "reduce")))
                .isEqualTo("the launch configurations of kernels are not recorded");
    }
}
