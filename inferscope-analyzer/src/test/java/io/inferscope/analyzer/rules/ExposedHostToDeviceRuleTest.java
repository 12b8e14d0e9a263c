package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
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
}
