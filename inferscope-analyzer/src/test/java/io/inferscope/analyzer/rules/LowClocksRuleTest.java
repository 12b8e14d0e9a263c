package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.ClockTimelines.clocks;
import static io.inferscope.analyzer.rules.ClockTimelines.computing;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import org.junit.jupiter.api.Test;

class LowClocksRuleTest {
    private final Rule rule = new LowClocksRule();

    @Test
    void aClockThatWasSetLowIsReported() {
        Finding finding = found(rule, clocks(10, 0x2, 1.2e9).build());

        assertThat(finding.claim()).contains("1,200 MHz of 2,000 MHz", "at most 40.0 ms (40.0% of the span)");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.advice()).contains("nvidia-smi -rgc");
    }

    @Test
    void nearTheHighestIsHighEnough() {
        assertThat(clean(rule, clocks(10, 0, 1.8e9).build())).contains("at 90.0% of the highest");
    }

    @Test
    void aClockThatIsHeldDownIsNotLowByItself() {
        assertThat(clean(rule, clocks(10, 0x4, 1e9).build())).contains("for 0.0% of the readings");
    }

    @Test
    void whatIsNotRecordedIsNotJudged() {
        assertThat(notApplicable(rule, computing().build())).contains("not recorded");
    }
}
