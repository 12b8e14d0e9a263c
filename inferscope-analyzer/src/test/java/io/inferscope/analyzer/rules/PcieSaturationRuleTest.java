package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class PcieSaturationRuleTest {
    private final Rule rule = new PcieSaturationRule();

    /** A copy of {@code gigabytes} in 400 of 1000 ms, beside a kernel, on a device of some name. */
    private static TimelineFixture copying(String device, double gigabytes) {
        return TimelineFixture.blank()
                .property("device.0.name", device)
                .kernel("7", 0, 1_000_000, "gemm")
                .h2d("8", 900_000, 1_300_000, "Memcpy HtoD (Pinned -> Device)")
                .bytes(Math.round(gigabytes * 1e9));
    }

    @Test
    void aLinkAtItsRateIsFull() {
        Finding finding = found(rule, copying("NVIDIA A100-SXM4-80GB", 10));

        assertThat(finding.claim())
                .isEqualTo(
                        "The link between host and device is full: copies to the device run for 30.8% of the span at 25.0 GB/s,"
                                + " of 31.5 GB/s that the link can do; no kernel hides 300 ms of that.");
        assertThat(finding.costNs()).isEqualTo(us(300_000));
        assertThat(finding.advice()).contains("--cpu-offload-gb");
    }

    @Test
    void aFasterLinkHasRoom() {
        assertThat(clean(rule, copying("NVIDIA H100 80GB HBM3", 10)))
                .isEqualTo("copies to the device reach 25.0 GB/s of 63.0 GB/s: something else slows them");
    }

    @Test
    void theDriverKnowsTheLinkBetterThanTheDataSheet() {
        TimelineFixture inNarrowSlot = copying("NVIDIA H100 PCIe", 5)
                .counter("nvml.pcie_link_generation{device=\"0\"}", 0, 1)
                .counter("nvml.pcie_link_generation{device=\"0\"}", 1_000_000, 4)
                .counter("nvml.pcie_link_width{device=\"0\"}", 0, 8);

        assertThat(found(rule, inNarrowSlot).claim()).contains("at 12.5 GB/s, of 15.8 GB/s that the link can do");
    }

    @Test
    void shortCopiesDoNotFillALink() {
        assertThat(clean(rule, copying("Tesla V100-SXM2-32GB", 10).kernel("7", 1_300_000, 4_000_000, "gemm")))
                .isEqualTo("copies to the device take 10.0% of the span");
    }

    @Test
    void anUnknownLinkCannotBeJudged() {
        assertThat(notApplicable(rule, copying("Some accelerator", 10)))
                .isEqualTo("how fast the device's link is, is not known");
    }

    @Test
    void copiesWithoutASizeCannotBeJudged() {
        assertThat(notApplicable(rule, """
                us        0         10        20
                stream 7  HHHHHHHHKKKK
                """)).isEqualTo("no copy between host and device says how many bytes it moved");
    }
}
