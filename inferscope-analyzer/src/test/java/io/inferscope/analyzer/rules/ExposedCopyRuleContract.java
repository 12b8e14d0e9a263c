package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

/** What rules about exposed copies hold to, whatever the direction; a rule's own test says what is particular to it. */
abstract class ExposedCopyRuleContract {
    final Rule rule;
    private final String letter;
    private final String copies;

    /**
     * Takes the rule.
     *
     * @param letter what draws such a copy
     * @param copies what a finding calls them
     */
    ExposedCopyRuleContract(Rule rule, char letter, String copies) {
        this.rule = rule;
        this.letter = String.valueOf(letter);
        this.copies = copies;
    }

    private String draw(String art) {
        return art.replace("x", letter);
    }

    @Test
    void countsOnlyTheTimeThatNoKernelHides() {
        Finding finding = found(rule, draw("""
                us           0         10        20
                bytes x = 1048576
                stream 7     KKKKKKKKKK.....KKKKK
                stream 8     ........xxxxxx......
                """));

        assertThat(finding.claim())
                .isEqualTo("The GPU waits 4.00 us (20.0% of its span) for " + copies + " that no kernel hides:"
                        + " 1 copy, 1.00 MiB.");
        assertThat(finding.costNs()).isEqualTo(us(4));
        assertThat(finding.share()).isEqualTo(0.2);
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.evidence()).contains(new Evidence.Quantity(copies, 1, "count"));
    }

    @Test
    void speaksOfTheCopiesOfItsOwnDeviceOnly() {
        Finding finding = found(rule, draw("""
                us                 0         10        20
                bytes x = 1024
                device 0 stream 7  xxxx......KKKKKKKKKK
                device 1 stream 7  xx..xx..xx..xx..KKKK
                """));

        assertThat(finding.claim()).contains("4.00 us (20.0% of its span)").endsWith(": 1 copy, 1.00 KiB.");
    }

    @Test
    void copiesUnderKernelsAreClean() {
        assertThat(clean(rule, draw("""
                        us        0         10        20
                        stream 7  KKKKKKKKKKKKKKKKKKKK
                        stream 8  ...xxxxxxxxxxxx.....
                        """))).isEqualTo(copies + " under no kernel take 0.0% of the span");
    }
}
