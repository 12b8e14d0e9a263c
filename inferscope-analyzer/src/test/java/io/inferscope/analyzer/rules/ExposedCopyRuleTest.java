package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExposedCopyRuleTest {
    /** The rules, what draws such a copy, and what a finding calls them. */
    static Stream<Arguments> rules() {
        return Stream.of(
                Arguments.of(ExposedCopyRule.H2D, "H", "host-to-device copies"),
                Arguments.of(ExposedCopyRule.D2H, "D", "device-to-host copies"),
                Arguments.of(ExposedCopyRule.D2D, "C", "device-to-device copies"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void countsOnlyTheTimeThatNoKernelHides(Rule rule, String letter, String copies) {
        Finding finding = found(rule, """
                us           0         10        20
                bytes x = 1048576
                stream 7     KKKKKKKKKK.....KKKKK
                stream 8     ........xxxxxx......
                """.replace("x", letter));

        assertThat(finding.claim())
                .isEqualTo("The GPU waits 4.00 us (20.0% of its span) for " + copies + " that no kernel hides:"
                        + " 1 copy, 1.00 MiB.");
        assertThat(finding.costNs()).isEqualTo(us(4));
        assertThat(finding.share()).isEqualTo(0.2);
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.evidence()).contains(new Evidence.Quantity(copies, 1, "count"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void speaksOfTheCopiesOfItsOwnDeviceOnly(Rule rule, String letter, String copies) {
        Finding finding = found(rule, """
                us                 0         10        20
                bytes x = 1024
                device 0 stream 7  xxxx......KKKKKKKKKK
                device 1 stream 7  xx..xx..xx..xx..KKKK
                """.replace("x", letter));

        assertThat(finding.claim()).contains("4.00 us (20.0% of its span)").endsWith(": 1 copy, 1.00 KiB.");
    }

    @ParameterizedTest
    @MethodSource("rules")
    void copiesUnderKernelsAreClean(Rule rule, String letter, String copies) {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKKKKKKKKKKKK
                        stream 8  ...xxxxxxxxxxxx.....
                        """.replace("x", letter))).isEqualTo(copies + " under no kernel take 0.0% of the span");
    }

    @Test
    void theAdviceIsToCopyLess() {
        assertThat(found(ExposedCopyRule.D2H, """
                us        0         10
                stream 7  DDDDKKKKKK
                """).advice()).contains("token ids, not logits");
    }

    @Test
    void setsAndCopiesBetweenDevicesAreOthers() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .operation(RowKind.MEMCPY_D2D, "7", 10, 14, "Memcpy DtoD (Device -> Device)")
                .operation(RowKind.MEMSET, "7", 14, 20, "Memset (Device)")
                .operation(RowKind.MEMCPY_P2P, "7", 20, 30, "Memcpy PtoP (Device -> Device)")
                .kernel("7", 30, 40, "gemm");

        Finding finding = found(ExposedCopyRule.D2D, fixture);

        assertThat(finding.costNs()).isEqualTo(us(4));
        assertThat(finding.advice()).contains(".contiguous()");
    }

    @Test
    void theEvidenceNamesTheLongestCopyAndAddsUpTheBytes() {
        Finding finding = found(ExposedCopyRule.H2D, """
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
        Finding finding = found(ExposedCopyRule.H2D, copying("NVIDIA H200", "Pageable -> Device"));

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
        assertThat(found(ExposedCopyRule.H2D, copying("NVIDIA H200", "Pinned -> Device"))
                        .claim())
                .endsWith("10 copies, 954 MiB.");
        assertThat(found(ExposedCopyRule.H2D, copying("Some accelerator", "Pageable -> Device"))
                        .claim())
                .endsWith("10 copies, 954 MiB.");
    }
}
