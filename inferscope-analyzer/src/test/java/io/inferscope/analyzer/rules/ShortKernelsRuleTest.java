package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class ShortKernelsRuleTest {
    private final Rule rule = new ShortKernelsRule();

    @Test
    void kernelsShorterThanTheirCallsStarveTheGpu() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 4; i++) {
            fixture.kernel("7", 6 * i + 6, 6 * i + 8, "add").launchedBy("main", 6 * i, 6 * i + 6);
        }

        Finding finding = found(rule, fixture.build());

        assertThat(finding.claim()).startsWith("4 kernels that are launched one by one are shorter than the call");
        assertThat(finding.costNs()).isEqualTo(us(12));
    }

    @Test
    void longerKernelsHideTheirCalls() {
        assertThat(clean(rule, """
                        us           0         10        20
                        thread main  LL..LL..LL
                        stream 7     ..KKKKKKKKkkkkkkkkKKKKKKKK
                        links in order
                        """)).isEqualTo("no kernels shorter than their launch call");
    }
}
