package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.decodeSteps;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

/** What rules about decoding without graphs hold to, whichever the engine; a rule's own test says what is particular to it. */
abstract class EagerDecodeRuleContract {
    final Rule rule;
    final String decode;
    private final String prefill;
    private final String[] advice;

    /**
     * Takes the rule.
     *
     * @param decode what the engine calls a decode step
     * @param prefill what it calls a prefill
     * @param advice what the advice names
     */
    EagerDecodeRuleContract(Rule rule, String decode, String prefill, String... advice) {
        this.rule = rule;
        this.decode = decode;
        this.prefill = prefill;
        this.advice = advice;
    }

    @Test
    void decodingKernelByKernelIsReported() {
        Finding finding = found(rule, decodeSteps(decode, 150).build());

        assertThat(finding.claim())
                .startsWith(
                        "3 of 3 decode steps replay no CUDA graph but launch kernel by kernel, 150 of them per step");
        assertThat(finding.advice()).contains(advice);
    }

    @Test
    void replayedGraphsAreClean() {
        assertThat(clean(rule, decodeSteps(decode, 0).build()))
                .isEqualTo("3 of 3 decode steps replay a graph, 0 launch many kernels one by one");
    }

    @Test
    void prefillMayBeEager() {
        assertThat(notApplicable(rule, decodeSteps(prefill, 150).build()))
                .isEqualTo("no decode step of the engine is named in the recording");
    }
}
