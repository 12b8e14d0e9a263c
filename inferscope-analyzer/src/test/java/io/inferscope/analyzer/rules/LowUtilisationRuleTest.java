package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.pieces;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class LowUtilisationRuleTest {
    private final Rule rule = new LowUtilisationRule();

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
    void aGpuThatIsNeverBusyIsStarved() {
        Finding finding = found(rule, pieces(3));

        assertThat(finding.claim())
                .startsWith(
                        "The GPU is starved from beginning to end: in pieces of 13.3 ms its utilisation hardly ever exceeds");
        assertThat(finding.share()).isGreaterThan(0.6);
        assertThat(finding.evidence()).anyMatch(e -> e.label().equals("longest stretch below half"));
    }

    @Test
    void aGpuThatIsBusyAtTimesIsNotStarved() {
        assertThat(clean(rule, pieces(10, 1))).isEqualTo("the GPU reaches a utilisation of 100.0%");
    }
}
