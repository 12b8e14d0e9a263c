package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class ExposedHostToDeviceRuleTest {
    private final Rule rule = new ExposedHostToDeviceRule();

    @Test
    void countsOnlyTheTimeThatNoKernelHides() {
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
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.advice()).contains("pin_memory=True", "non_blocking=True");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Range(
                                "longest H2D copy: Memcpy HtoD (Pinned -> Device)", 0, us(12), "device 0", ""),
                        count("host-to-device copies", 2),
                        new Evidence.Quantity("bytes copied to the device", 1572864, "bytes"));
    }

    @Test
    void speaksOfTheCopiesOfItsOwnDeviceOnly() {
        Finding finding = found(rule, """
                us                 0         10        20
                bytes H = 1024
                device 0 stream 7  HHHH......KKKKKKKKKK
                device 1 stream 7  HH..HH..HH..HH..KKKK
                """);

        assertThat(finding.claim()).contains("4.00 us (20.0% of its span)").endsWith(": 1 copies, 1.00 KiB.");
    }

    @Test
    void copiesUnderKernelsAreClean() {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKKKKKKKKKKKK
                        stream 8  ...HHHHHHHHHHHH.....
                        """)).isEqualTo("host-to-device copies under no kernel take 0.0% of the span");
    }
}
