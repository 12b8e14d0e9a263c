package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SglangEagerDecodeRuleTest extends EagerDecodeRuleContract {
    SglangEagerDecodeRuleTest() {
        super(
                new SglangEagerDecodeRule(),
                "step[DECODE bs=48]",
                "step[EXTEND bs=15 toks=15360]",
                "--disable-cuda-graph",
                "--cuda-graph-max-bs 48");
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
}
