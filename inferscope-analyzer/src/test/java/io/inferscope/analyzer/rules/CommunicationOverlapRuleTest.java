package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class CommunicationOverlapRuleTest {
    private final Rule rule = new CommunicationOverlapRule();

    @Test
    void communicationBesideComputeOverlapsLittle() {
        Finding finding = found(rule, """
                us        0         10        20
                stream 7  KKKKKKKKKK........KK
                stream 8  ........NNNNNNNNNN..
                """);

        assertThat(finding.costNs()).isEqualTo(us(8));
        assertThat(finding.claim())
                .isEqualTo(
                        "Communication takes 10.0 us, and compute hides only 20.0% of it: 8.00 us, 40.0% of the span, are not hidden.");
    }

    @Test
    void hiddenCommunicationIsClean() {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKKKKKKKKKKKK
                        stream 8  ........NNNNNNNNNN..
                        """)).isEqualTo("100.0% of the communication is hidden under compute");
    }

    @Test
    void littleCommunicationIsClean() {
        assertThat(clean(rule, """
                        us        0         10        20
                        stream 7  KKKKKKKKKKKKKKKKKKK.
                        stream 8  ...................N
                        """)).isEqualTo("communication takes 5.0% of the span");
    }

    @Test
    void saysNothingWithoutCommunication() {
        assertThat(notApplicable(rule, """
                us        0         10        20
                stream 7  KKKKKKKKKKKKKKKKKKKK
                """)).isEqualTo("no communication kernel is recorded");
    }
}
