package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class NoKeyValueCacheRuleTest {
    private final Rule rule = new NoKeyValueCacheRule();

    /** Passes of 10 us each, one after the other, that read so many tokens each. */
    private static Timeline passes(long... tokens) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < tokens.length; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "forward Llama").activity(RangeActivity.MODEL);
            if (tokens[i] > 0) {
                fixture.attribute(Attribute.COUNTED, tokens[i]);
            }
        }
        return fixture.build();
    }

    @Test
    void whatThePassBeforeHasReadIsReadAgain() {
        Finding finding = found(rule, passes(40, 42, 44, 46, 100, 2, 2, 2));

        assertThat(finding.claim())
                .startsWith("3 forward passes each read the whole text again")
                .contains("126 of 278 tokens");
        assertThat(finding.costNs()).isEqualTo(Math.round(us(80) * 126 / 278.0));
        assertThat(finding.causes()).containsExactly(LedgerClass.CPU_MODEL_COMPUTE);
        assertThat(finding.gain()).isNull();
    }

    @Test
    void aSecondTextIsItsOwn() {
        assertThat(found(rule, passes(40, 41, 42, 43, 40, 41, 42, 43)).claim())
                .startsWith("6 forward passes")
                .contains("246 of 332 tokens");
    }

    @Test
    void aPassWithACacheReadsOneToken() {
        assertThat(clean(rule, passes(48, 1, 1, 1, 1, 1, 48, 1, 1, 1)))
                .isEqualTo("0.0% of the tokens that forward passes read were read by the one before");
    }

    @Test
    void unevenLengthsAreOtherTexts() {
        clean(rule, passes(40, 41, 43, 44, 46, 47, 49));
    }

    @Test
    void longerBatchesAreNotTheSameTextAgain() {
        clean(rule, passes(10, 30, 50, 70));
    }

    @Test
    void fewAreACoincidence() {
        clean(rule, passes(40, 41, 42));
    }

    @Test
    void passesWithoutTokensSayNothing() {
        assertThat(notApplicable(rule, passes(0, 0, 0, 0))).isEqualTo("no forward pass says how many tokens it read");
    }
}
