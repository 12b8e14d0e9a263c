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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClocksHeldDownRuleTest {
    private final Rule rule = new ClocksHeldDownRule();

    @Test
    void heatCostsWhatTheClockLacks() {
        Finding finding = found(rule, clocks(8, 0x20, 1e9).build());

        assertThat(finding.claim())
                .isEqualTo(
                        "The device's clock was held down by heat or by the hardware for 80.0% of the time in which it was"
                                + " busy: 1,000 MHz of 2,000 MHz. That costs at most 40.0 ms (40.0% of the span), if its kernels are"
                                + " bound by arithmetic.");
        assertThat(finding.costNs()).isEqualTo(us(40_000));
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
    }

    @ParameterizedTest
    @ValueSource(longs = {0x8, 0x20, 0x40, 0x80, 0x44})
    void eachOfItsReasonsCounts(long reasons) {
        found(rule, clocks(10, reasons, 1e9).build());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 0x1, 0x2, 0x4, 0x10, 0x100})
    void noOtherReasonDoes(long reasons) {
        assertThat(clean(rule, clocks(10, reasons, 1e9).build()))
                .isEqualTo("clocks held down by heat or by the hardware for 0.0% of the readings of the busy device");
    }

    @Test
    void onceIsNothing() {
        assertThat(clean(rule, clocks(1, 0x40, 1e9).build())).contains("for 10.0% of the readings");
    }

    @Test
    void whatIsNotRecordedIsNotJudged() {
        assertThat(notApplicable(rule, computing().build())).contains("not recorded");
    }
}
