package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class ExposedDeviceToHostRuleTest {
    private final Rule rule = new ExposedDeviceToHostRule();

    @Test
    void countsOnlyTheTimeThatNoKernelHides() {
        Finding finding = found(rule, """
                us           0         10        20
                bytes D = 1048576
                stream 7     KKKKKKKKKK.....KKKKK
                stream 8     ........DDDDDD......
                """);

        assertThat(finding.claim())
                .isEqualTo("The GPU waits 4.00 us (20.0% of its span) for device-to-host copies that no kernel hides:"
                        + " 1 copies, 1.00 MiB.");
        assertThat(finding.costNs()).isEqualTo(us(4));
        assertThat(finding.advice()).contains("token ids rather than logits");
        assertThat(finding.evidence()).contains(count("device-to-host copies", 1));
    }

    @Test
    void copiesUnderKernelsAreClean() {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKKKKKKKKKKKK
                        stream 8  ...DDDDDDDDDDDD.....
                        """)).isEqualTo("device-to-host copies under no kernel take 0.0% of the span");
    }
}
