package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.ClockTimelines.clocks;
import static io.inferscope.analyzer.rules.ClockTimelines.computing;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import org.junit.jupiter.api.Test;

class PowerCappedRuleTest {
    private final Rule rule = new PowerCappedRule();

    @Test
    void aPowerLimitIsInformationWhateverItCosts() {
        Finding finding = found(rule, clocks(10, 0x4, 1e9).build());

        assertThat(finding.claim()).startsWith("The device's clock was held down by the power limit for 100.0%");
        assertThat(finding.costNs()).isEqualTo(us(50_000));
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void heatIsAnotherReason() {
        assertThat(clean(rule, clocks(10, 0x20, 1e9).build())).contains("for 0.0% of the readings");
    }

    @Test
    void whatIsNotRecordedIsNotJudged() {
        assertThat(notApplicable(rule, computing().build())).contains("not recorded");
    }
}
