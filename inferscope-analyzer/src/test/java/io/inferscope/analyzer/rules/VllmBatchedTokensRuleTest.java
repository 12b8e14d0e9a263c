package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class VllmBatchedTokensRuleTest {
    private final Rule rule = new VllmBatchedTokensRule();

    private static TimelineFixture scheduling(int... tokens) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < tokens.length; i++) {
            fixture.scope("main", 100.0 * i, 100.0 * i + 10, "vllm.schedule").attribute(Attribute.COUNTED, tokens[i]);
        }
        return fixture;
    }

    @Test
    void stepsOfTheSameLargestSizeAreCut() {
        Finding finding = found(rule, scheduling(2048, 2048, 2048, 300, 40, 40));

        assertThat(finding.claim()).startsWith("3 of 6 steps compute exactly 2,048 tokens, none more");
        assertThat(finding.advice()).contains("--max-num-batched-tokens 16384");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void theNamesOfProfiledStepsTellToo() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 3; i++) {
            fixture.scope("main", 100.0 * i, 100.0 * i + 90, "execute_context_9(8000_1)_generation_192(192_1)");
        }

        assertThat(found(rule, fixture).claim()).startsWith("3 of 3 steps compute exactly 8,192 tokens");
    }

    @Test
    void decodingIsNotCut() {
        assertThat(clean(rule, scheduling(64, 64, 64, 64)))
                .isEqualTo("no step is cut at a limit: the largest of 4 computes 64 tokens");
    }

    @Test
    void promptsOfAllSizesAreNotCut() {
        assertThat(clean(rule, scheduling(700, 4000, 1200))).startsWith("no step is cut at a limit");
    }

    @Test
    void largeStepsAreClean() {
        assertThat(clean(rule, scheduling(16384, 16384, 16384))).isEqualTo("steps compute up to 16,384 tokens");
    }

    @Test
    void saysNothingOfOtherPrograms() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  [generate          ]
                """)).isEqualTo("how many tokens vLLM's steps compute is not recorded");
    }
}
