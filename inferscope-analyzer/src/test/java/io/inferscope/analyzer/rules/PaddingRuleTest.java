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
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class PaddingRuleTest {
    private final Rule rule = new PaddingRule();

    /** Passes of 10 us each over 100 tokens, with an attention mask that leaves out so many; -1: without a mask. */
    private static TimelineFixture passes(int... padding) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < padding.length; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "forward Bert")
                    .activity(RangeActivity.MODEL)
                    .attribute(Attribute.COUNTED, 100);
        }
        for (int i = 0; i < padding.length; i++) {
            if (padding[i] >= 0) {
                fixture.counter("model.batch_tokens", 10 * i, 100).counter("model.batch_padding", 10 * i, padding[i]);
            }
        }
        return fixture;
    }

    @Test
    void theTokensThatMasksLeaveOutAreAShareOfTheComputing() {
        Finding finding = found(rule, passes(80, 60, 70, 70));

        assertThat(finding.claim())
                .isEqualTo(
                        "280 of 400 tokens that forward passes read are padding, 70.0%. By each pass's part, 28.0 us of the computing is spent on it, 70.0% of the window.");
        assertThat(finding.costNs()).isEqualTo(us(28));
        assertThat(finding.causes()).containsExactly(LedgerClass.CPU_MODEL_COMPUTE);
        assertThat(finding.advice()).contains("padding=True");
        assertThat(finding.gain()).isNull();
    }

    @Test
    void passesBetweenTheMasksThatWereReadHaveTheirShareOfPadding() {
        Finding finding = found(rule, passes(50, 50, 50, -1, -1, -1).counter("model.batch_skipped", 25, 300));

        assertThat(finding.claim()).startsWith("about 300 of 600 tokens that forward passes read are padding, 50.0%.");
        assertThat(finding.costNs()).isEqualTo(us(30));
    }

    @Test
    void passesWithoutAMaskReadNoPadding() {
        assertThat(found(rule, passes(50, 50, 50, -1, -1, -1)).costNs()).isEqualTo(us(15));
    }

    /** Three prompts of 10 us, of which half is padding, and 30 us of passes over a token of each. */
    @Test
    void passesOverSingleTokensHaveNoneOfThePromptsPadding() {
        TimelineFixture fixture = passes(50, 50, 50);
        for (int i = 3; i < 6; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "forward Bert")
                    .activity(RangeActivity.MODEL)
                    .attribute(Attribute.COUNTED, 2);
        }

        assertThat(found(rule, fixture).costNs()).isEqualTo(us(15));
    }

    @Test
    void batchesThatArePaddedToTheirLongestTextAreNotToldTo() {
        TimelineFixture fixture = passes(80, 60, 70);
        for (int i = 0; i < 3; i++) {
            fixture.counter("model.batch_filled", 10 * i, 1);
        }

        assertThat(found(rule, fixture).advice())
                .startsWith("Each batch is padded to its own longest text already")
                .doesNotContain("padding=True");
    }

    @Test
    void batchesOfSimilarLengthAreClean() {
        assertThat(clean(rule, passes(5, 0, 9, 4)))
                .isEqualTo("4.5% of the tokens that forward passes read are padding");
    }

    @Test
    void aModelThatTakesLittleTimeIsNotWorthIt() {
        assertThat(clean(rule, passes(60, 60, 60, 60).scope("main", 40, 400, "answer")))
                .isEqualTo("60.0% of the tokens that forward passes read are padding");
    }

    @Test
    void withoutMasksNothingIsKnown() {
        assertThat(notApplicable(rule, passes(-1, -1, -1))).isEqualTo("no attention masks of batches are recorded");
    }
}
