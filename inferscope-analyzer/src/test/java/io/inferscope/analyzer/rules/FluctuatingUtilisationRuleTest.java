package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.pieces;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class FluctuatingUtilisationRuleTest {
    private final Rule rule = new FluctuatingUtilisationRule();

    @Test
    void aShortRecordingCannotBeCut() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  LL........LL
                stream 7     ..KK........KK
                links in order
                """)).isEqualTo("the span is too short to be cut into pieces");
    }

    @Test
    void busyAndIdleStretchesFluctuate() {
        Finding finding = found(rule, pieces(10, 0.2));

        assertThat(finding.claim()).startsWith("The GPU is busy at times and idle at others: in pieces of 13.3 ms");
        assertThat(finding.share()).isGreaterThan(0.4);
        assertThat(finding.costNs()).isLessThanOrEqualTo(us(200_000));
    }

    @Test
    void anEvenLoadDoesNotFluctuate() {
        assertThat(clean(rule, pieces(9))).startsWith("its utilisation stays between ");
    }
}
