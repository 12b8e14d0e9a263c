package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.decodeSteps;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SglangEagerDecodeRuleTest {
    private final Rule rule = new SglangEagerDecodeRule();

    @Test
    void decodingKernelByKernelIsReported() {
        Finding finding = found(rule, decodeSteps("step[DECODE bs=48]", 150).build());

        assertThat(finding.claim()).startsWith("3 of 3 decode steps replay no CUDA graph");
        assertThat(finding.advice()).contains("--disable-cuda-graph", "--cuda-graph-max-bs 48");
    }

    @Test
    void replayedGraphsAreClean() {
        assertThat(clean(rule, decodeSteps("step[DECODE bs=48]", 0).build()))
                .startsWith("3 of 3 decode steps replay a graph");
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
        Finding finding = found(
                rule, passes(80, 20).counter("sglang:num_running_reqs", 50, 300).build());

        assertThat(finding.claim()).startsWith("80 of 100 decode passes replay no CUDA graph");
        assertThat(finding.advice()).contains("--cuda-graph-max-bs 300");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aFewEagerPassesAreClean() {
        assertThat(clean(rule, passes(20, 80).build())).isEqualTo("20.0% of the decode passes replay no CUDA graph");
    }

    @Test
    void saysNothingWhereNothingIsRecorded() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  [generate          ]
                """)).startsWith("neither sglang:cuda_graph_passes_total nor device work");
    }

    @Test
    void prefillMayBeEager() {
        assertThat(notApplicable(
                        rule, decodeSteps("step[EXTEND bs=15 toks=15360]", 150).build()))
                .startsWith("no decode step");
    }
}
