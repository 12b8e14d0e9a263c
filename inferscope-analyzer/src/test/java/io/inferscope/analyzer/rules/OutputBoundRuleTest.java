package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class OutputBoundRuleTest {
    private final Rule rule = new OutputBoundRule();

    @Test
    void detokenisingAndCopiesBackAddUp() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LL........[detokenize        ]LL
                stream 7     ..KKKKDDDD....................KKKKKKKKKK
                links 0-0 1-2
                """);

        assertThat(finding.costNs()).isEqualTo(us(24));
        assertThat(finding.claim()).contains("20.0 us in detokenising", "4.00 us in copies");
    }

    @Test
    void resultsThatLeaveMeanwhileAreClean() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  LL..[detokenize        ]
                        stream 7     ..KKKKKKKKKKKKKKKKKKKKKKKKKK
                        links in order
                        """)).isEqualTo("detokenising, serialising and copying results take 0.0% of the window");
    }
}
