package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class ExposedHostToDeviceRuleTest extends ExposedCopyRuleContract {
    ExposedHostToDeviceRuleTest() {
        super(new ExposedHostToDeviceRule(), 'H', "host-to-device copies");
    }

    @Test
    void theEvidenceNamesTheLongestCopyAndAddsUpTheBytes() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                bytes H = 1048576
                bytes h = 524288
                thread main  {cudaMemcpyAsync}
                stream 7     ....................KKKKKKKKKKKKKKKKKKKK
                stream 8     HHHHHHHHHHHH......hhhhhh
                links 0-0
                """);

        assertThat(finding.claim())
                .isEqualTo("The GPU waits 14.0 us (35.0% of its span) for host-to-device copies that no kernel hides:"
                        + " 2 copies, 1.50 MiB.");
        assertThat(finding.costNs()).isEqualTo(us(14));
        assertThat(finding.share()).isEqualTo(0.35, within(1e-9));
        assertThat(finding.advice()).contains("pinned already", "non_blocking=True");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Range(
                                "longest H2D copy: Memcpy HtoD (Pinned -> Device)", 0, us(12), "device 0", ""),
                        count("host-to-device copies", 2),
                        new Evidence.Quantity("bytes copied to the device", 1572864, "bytes"));
    }

    /** Steps of 5 ms of computing and a copy of 100 MB that takes 10 ms. */
    private static TimelineFixture copying(String device, String kinds) {
        TimelineFixture fixture = TimelineFixture.blank().property("device.0.name", device);
        for (int step = 0; step < 10; step++) {
            double atUs = 15_000.0 * step;
            fixture.h2d("7", atUs, atUs + 10_000, "Memcpy HtoD (" + kinds + ")")
                    .bytes(100_000_000)
                    .kernel("7", atUs + 10_000, atUs + 15_000, "gemm");
        }
        return fixture;
    }

    @Test
    void pageableCopiesWouldRunAtTheRateOfTheLink() {
        Finding finding =
                found(rule, copying("NVIDIA H200", "Pageable -> Device").build());

        assertThat(finding.claim()).endsWith("10 copies, 954 MiB, pageable, at 10.0 GB/s of the link's 63.0 GB/s.");
        double linkBytesPerSecond = 16 * 32e9 / 8 * 128 / 130;
        long newMostUs = Math.round(10 * (100e6 / linkBytesPerSecond / 0.75 * 1e6 + 2));
        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isBetween(us(100_000 - newMostUs - 8_000), us(100_000 - newMostUs));
        assertThat(finding.gain().highNs()).isLessThan(us(100_000));
        assertThat(finding.gain().assumptions()).anyMatch(text -> text.contains("three quarters of the 63.0 GB/s"));
    }

    @Test
    void pinnedCopiesAndUnknownLinksSayNothingOfTheLink() {
        assertThat(found(rule, copying("NVIDIA H200", "Pinned -> Device").build())
                        .claim())
                .endsWith("10 copies, 954 MiB.");
        assertThat(found(rule, copying("Some accelerator", "Pageable -> Device").build())
                        .claim())
                .endsWith("10 copies, 954 MiB.");
    }
}
