package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class UtilisationRuleTest {
    @ParameterizedTest
    @MethodSource("rules")
    void aShortRecordingCannotBeCut(Rule rule) {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  LL........LL
                stream 7     ..KK........KK
                links in order
                """)).isEqualTo("the span is too short to be cut into pieces");
    }

    static List<Rule> rules() {
        return List.of(UtilisationRule.LOW, UtilisationRule.FLUCTUATING);
    }

    @Test
    void aGpuThatIsNeverBusyIsStarved() {
        Finding finding = found(UtilisationRule.LOW, RuleTimelines.pieces(3));

        assertThat(finding.claim())
                .startsWith(
                        "The GPU is starved from beginning to end: in pieces of 13.3 ms its utilisation hardly ever exceeds");
        assertThat(finding.share()).isGreaterThan(0.6);
        assertThat(finding.evidence()).anyMatch(e -> e.label().equals("longest stretch below half"));
    }

    @Test
    void aGpuThatIsBusyAtTimesIsNotStarved() {
        assertThat(clean(UtilisationRule.LOW, RuleTimelines.pieces(10, 1)))
                .isEqualTo("the GPU reaches a utilisation of 100.0%");
    }

    @Test
    void busyAndIdleStretchesFluctuate() {
        Finding finding = found(UtilisationRule.FLUCTUATING, RuleTimelines.pieces(10, 0.2));

        assertThat(finding.claim()).startsWith("The GPU is busy at times and idle at others: in pieces of 13.3 ms");
        assertThat(finding.share()).isGreaterThan(0.4);
        assertThat(finding.costNs()).isLessThanOrEqualTo(us(200_000));
    }

    @Test
    void anEvenLoadDoesNotFluctuate() {
        assertThat(clean(UtilisationRule.FLUCTUATING, RuleTimelines.pieces(9)))
                .startsWith("its utilisation stays between ");
    }
}
