package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.ClockRuleTest.computing;
import static io.inferscope.analyzer.rules.ClockRuleTest.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.Timeline;
import org.junit.jupiter.api.Test;

class EccErrorsRuleTest {
    private final Rule rule = new EccErrorsRule();

    private static Timeline errors(double uncorrected, double corrected, double correctedThen) {
        var fixture = computing();
        count(fixture, DeviceCounters.ECC_UNCORRECTED, 10, uncorrected);
        count(fixture, DeviceCounters.ECC_CORRECTED, 10, corrected);
        count(fixture, DeviceCounters.ECC_CORRECTED, 90_000, correctedThen);
        return fixture.build();
    }

    @Test
    void anErrorThatCouldNotBeCorrectedIsAWarning() {
        Finding finding = found(rule, errors(2, 7, 7));

        assertThat(finding.claim()).startsWith("The memory of device 0 has had 2 uncorrectable errors");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void correctionsMeanwhileAreWorthKnowing() {
        Finding finding = found(rule, errors(0, 7, 27));

        assertThat(finding.claim())
                .isEqualTo("20 errors of the memory of device 0 were corrected during the recording.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void earlierCorrectionsAreHistory() {
        assertThat(clean(rule, errors(0, 700, 700)))
                .isEqualTo("no uncorrected error; 0 were corrected during the recording");
    }

    @Test
    void whatIsNotCountedIsNotJudged() {
        assertThat(notApplicable(rule, computing())).contains("not counted");
    }
}
