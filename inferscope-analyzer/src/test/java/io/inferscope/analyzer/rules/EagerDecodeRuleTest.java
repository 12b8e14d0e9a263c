package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.decodeSteps;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EagerDecodeRuleTest {
    /** The rules, what the engine calls a decode step and a prefill, and what the advice names. */
    static Stream<Arguments> rules() {
        return Stream.of(
                Arguments.of(
                        EagerDecodeRule.VLLM,
                        "execute_context_0(0)_generation_32(32)",
                        "execute_context_1(888_788544)_generation_0(0)",
                        List.of("--enforce-eager", "--max-cudagraph-capture-size 32")),
                Arguments.of(
                        EagerDecodeRule.SGLANG,
                        "step[DECODE bs=48]",
                        "step[EXTEND bs=15 toks=15360]",
                        List.of("--disable-cuda-graph", "--cuda-graph-max-bs-decode 48")));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void decodingKernelByKernelIsReported(Rule rule, String decode, String prefill, List<String> advice) {
        Finding finding = found(rule, decodeSteps(decode, 150));

        assertThat(finding.claim())
                .startsWith(
                        "3 of 3 decode steps replay no CUDA graph but launch kernel by kernel, 150 of them per step");
        assertThat(finding.advice()).contains(advice);
        assertThat(clean(rule, decodeSteps(decode, 0)))
                .isEqualTo("3 of 3 decode steps replay a graph, 0 launch many kernels one by one");
        assertThat(notApplicable(rule, decodeSteps(prefill, 150)))
                .as("a prefill may be eager")
                .isEqualTo("no decode step of the engine is named in the recording");
    }

    @Test
    void theLaterFormOfTheNameIsKnownToo() {
        Finding finding = found(
                EagerDecodeRule.VLLM, decodeSteps("execute_32_context_0(sq0sk0)_generation_32(sq32sk55086)", 150));

        assertThat(finding.claim()).startsWith("3 of 3 decode steps");
    }

    @Test
    void stepsOfAnotherEngineAreNotMeant() {
        assertThat(notApplicable(
                        EagerDecodeRule.VLLM,
                        decodeSteps("execute_context_0(0)_generation_32(32)", 150)
                                .scope("main", 7000, 7010, "step[DECODE bs=32]")))
                .startsWith("no decode step");
    }

    private static TimelineFixture passes(double eager, double graph) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "serve")
                .counter("sglang:cuda_graph_passes_total{mode=\"decode_none\"}", 10, 5)
                .counter("sglang:cuda_graph_passes_total{mode=\"decode_none\"}", 90, 5 + eager)
                .counter("sglang:cuda_graph_passes_total{mode=\"decode_cuda_graph\"}", 10, 5)
                .counter("sglang:cuda_graph_passes_total{mode=\"decode_cuda_graph\"}", 90, 5 + graph);
    }

    @Test
    void theEnginesOwnCounterDecides() {
        Finding finding = found(EagerDecodeRule.SGLANG, passes(80, 20).counter("sglang:num_running_reqs", 50, 300));

        assertThat(finding.claim()).startsWith("80 of 100 decode passes replay no CUDA graph");
        assertThat(finding.advice()).contains("--cuda-graph-max-bs-decode 300");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aModelOnTheCpuHasNoGraphs() {
        assertThat(notApplicable(
                        EagerDecodeRule.SGLANG,
                        passes(80, 0).scope("main", 10, 90, "forward").activity(RangeActivity.MODEL)))
                .startsWith("the model computes on the CPU");
    }

    @Test
    void aFewEagerPassesAreClean() {
        assertThat(clean(EagerDecodeRule.SGLANG, passes(20, 80)))
                .isEqualTo("20.0% of the decode passes replay no CUDA graph");
    }

    @Test
    void saysNothingWhereNothingIsRecorded() {
        assertThat(notApplicable(EagerDecodeRule.SGLANG, """
                us           0         10        20
                thread main  [generate          ]
                """))
                .startsWith("neither sglang:cuda_graph_passes_total nor device work");
    }
}
