package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class VllmEagerDecodeRuleTest {
    private final Rule rule = new VllmEagerDecodeRule();

    /** Three steps of some name, each of which launches so many kernels one by one, or one graph. */
    private static TimelineFixture steps(String name, int kernels) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 3; step++) {
            double atUs = 2000.0 * step;
            fixture.scope("main", atUs, atUs + 1900, name);
            if (kernels == 0) {
                fixture.graphLaunch("main", atUs + 5, atUs + 10);
                fixture.kernel("7", atUs + 12, atUs + 1500, "gemm").replayed();
            }
            for (int i = 0; i < kernels; i++) {
                fixture.kernel("7", atUs + 10 * i + 5, atUs + 10 * i + 8, "gemm")
                        .launchedBy("main", atUs + 10 * i, atUs + 10 * i + 3);
            }
        }
        return fixture;
    }

    @Test
    void decodingKernelByKernelIsReported() {
        Finding finding =
                found(rule, steps("execute_context_0(0)_generation_32(32)", 150).build());

        assertThat(finding.claim())
                .startsWith(
                        "3 of 3 decode steps replay no CUDA graph but launch kernel by kernel, 150 of them per step");
        assertThat(finding.advice()).contains("--enforce-eager", "--max-cudagraph-capture-size 32");
    }

    @Test
    void theLaterFormOfTheNameIsKnownToo() {
        Finding finding = found(
                rule,
                steps("execute_32_context_0(sq0sk0)_generation_32(sq32sk55086)", 150)
                        .build());

        assertThat(finding.claim()).startsWith("3 of 3 decode steps");
    }

    @Test
    void replayedGraphsAreClean() {
        assertThat(clean(
                        rule, steps("execute_context_0(0)_generation_32(32)", 0).build()))
                .isEqualTo("3 of 3 decode steps replay a graph, 0 launch many kernels one by one");
    }

    @Test
    void prefillMayBeEager() {
        assertThat(notApplicable(
                        rule,
                        steps("execute_context_1(888_788544)_generation_0(0)", 150)
                                .build()))
                .isEqualTo("no decode step of the engine is named in the recording");
    }

    @Test
    void stepsOfAnotherEngineAreNotMeant() {
        assertThat(notApplicable(
                        rule,
                        steps("execute_context_0(0)_generation_32(32)", 150)
                                .scope("main", 7000, 7010, "step[DECODE bs=32]")
                                .build()))
                .startsWith("no decode step");
    }

    @Test
    void saysNothingWithoutDeviceWork() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  <aten::mm          >
                """)).isEqualTo("no device work is recorded");
    }

    @Test
    void saysNothingWithoutLaunches() {
        assertThat(notApplicable(rule, """
                us        0         10        20
                stream 7  KK........KK........
                """)).isEqualTo("no launch of device work is recorded");
    }
}
