package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class CommunicationExposedRuleTest {
    private final Rule rule = new CommunicationExposedRule();

    @Test
    void countsOnlyTheTimeUnderNoCompute() {
        Finding finding = found(rule, """
                us        0         10        20        30        40
                stream 7  KKKKKKKKKK..........KKKKKKKKKK..........
                stream 8  .....NNNNNNNNNN...............NNNNNNNNNN
                """);

        assertThat(finding.claim()).isEqualTo("Communication that no compute hides takes 15.0 us, 37.5% of the span.");
        assertThat(finding.costNs()).isEqualTo(us(15));
        assertThat(finding.share()).isEqualTo(0.375, within(1e-9));
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.advice()).contains("all-reduce").doesNotContain("--");
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("kernel", "ncclDevKernel_AllReduce", us(20), 2));
    }

    @Test
    void communicationOnAComputingStreamCannotOverlap() {
        Finding finding = found(rule, """
                us        0         10        20        30        40
                stream 7  KKKKKKKKKKNNNNNNNNNNKKKKKKKKKK..........
                stream 8  ..............................NNNNN.....
                """);

        assertThat(finding.claim())
                .endsWith("66.7% of it runs on a stream that also computes, where neither can hide the other.");
        assertThat(finding.evidence()).contains(new Evidence.Quantity("on a stream that computes, too", us(10), "ns"));
        assertThat(finding.advice())
                .as("the next layer needs what an all-reduce adds up")
                .doesNotContain("a stream of their own");
        TimelineFixture sends = TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .kernel("7", 10, 20, "ncclDevKernel_SendRecv")
                .kernel("7", 20, 30, "gemm");
        assertThat(found(rule, sends).advice()).startsWith("Give collectives a stream of their own. ");
    }

    /** Names as PyTorch's FSDP2 and NCCL write them. */
    @Test
    void weightsThatAreGatheredLayerByLayerAreNamed() {
        assertThat(exposed("FSDP::all_gather").claim())
                .endsWith("Most communication gathers the weights of one layer after the other (FSDP).");
        assertThat(exposed("FSDP::all_gather").advice())
                .startsWith("Gather the weights of the next layer while one computes");
        assertThat(exposed("forward").claim()).doesNotContain("FSDP");
        assertThat(exposed("forward").advice()).doesNotContain("FSDP's `forward_prefetch");
    }

    private Finding exposed(String scope) {
        return found(
                rule,
                TimelineFixture.blank()
                        .scope("main", 0, 5, scope)
                        .kernel("7", 0, 10, "gemm")
                        .kernel("8", 10, 30, "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)")
                        .kernel("7", 30, 40, "gemm"));
    }

    @Test
    void showsTheKernelsOfItsOwnDeviceOnly() {
        Finding finding = found(rule, """
                us                 0         10        20
                device 0 stream 7  KKKKKKKKKKNNNNNNNNNN
                device 1 stream 7  KKKKK...NNNNNNNNNNNN
                """);

        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("kernel", "ncclDevKernel_AllReduce", us(10), 1),
                        new Evidence.Quantity("on a stream that computes, too", us(10), "ns"));
    }

    @Test
    void communicationUnderComputeIsClean() {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKKKKKKKKKKKK
                        stream 8  .....NNNNNNNNNN.....
                        """)).isEqualTo("communication under no compute takes 0.0% of the span");
    }

    @Test
    void saysNothingWithoutCommunication() {
        assertThat(notApplicable(rule, """
                us        0         10        20
                stream 7  KKKKKKKKKKKKKKKKKKKK
                """)).isEqualTo("no communication kernel is recorded");
    }
}
