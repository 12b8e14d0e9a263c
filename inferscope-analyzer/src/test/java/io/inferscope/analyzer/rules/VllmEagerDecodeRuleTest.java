package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.decodeSteps;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class VllmEagerDecodeRuleTest extends EagerDecodeRuleContract {
    VllmEagerDecodeRuleTest() {
        super(
                new VllmEagerDecodeRule(),
                "execute_context_0(0)_generation_32(32)",
                "execute_context_1(888_788544)_generation_0(0)",
                "--enforce-eager",
                "--max-cudagraph-capture-size 32");
    }

    @Test
    void theLaterFormOfTheNameIsKnownToo() {
        Finding finding = found(
                rule,
                decodeSteps("execute_32_context_0(sq0sk0)_generation_32(sq32sk55086)", 150)
                        .build());

        assertThat(finding.claim()).startsWith("3 of 3 decode steps");
    }

    @Test
    void stepsOfAnotherEngineAreNotMeant() {
        assertThat(notApplicable(
                        rule,
                        decodeSteps("execute_context_0(0)_generation_32(32)", 150)
                                .scope("main", 7000, 7010, "step[DECODE bs=32]")
                                .build()))
                .startsWith("no decode step");
    }
}
