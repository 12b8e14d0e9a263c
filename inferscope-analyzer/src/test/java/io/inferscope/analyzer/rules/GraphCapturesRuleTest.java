package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class GraphCapturesRuleTest {
    private final Rule rule = new GraphCapturesRule();

    /** Graphs that are made one after the other, under an idle GPU. */
    private static Timeline making(int graphs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < graphs; i++) {
            double atUs = 100.0 * i;
            fixture.call("main", atUs + 20, atUs + 60, "cudaGraphInstantiate");
            fixture.kernel("7", atUs + 70, atUs + 90, "gemm").launchedBy("main", atUs + 62, atUs + 65);
        }
        return fixture.build();
    }

    @Test
    void manyGraphsAreTooManyShapes() {
        Finding finding = found(rule, making(10));

        assertThat(finding.costNs()).isEqualTo(us(9 * 40));
        assertThat(finding.claim()).contains("9 calls that make CUDA graphs of many shapes");
        assertThat(finding.advice()).contains("pad batches and lengths").doesNotContain("--");
    }

    @Test
    void aFewGraphsAreClean() {
        assertThat(clean(rule, making(8))).isEqualTo("no calls that make CUDA graphs of many shapes");
    }

    @Test
    void graphsMadeUnderAKernelCostNothing() {
        TimelineFixture fixture =
                TimelineFixture.blank().kernel("7", 10, 2000, "gemm").launchedBy("main", 0, 5);
        for (int i = 0; i < 12; i++) {
            fixture.call("main", 100.0 * i + 20, 100.0 * i + 60, "cudaGraphInstantiate");
        }

        assertThat(clean(rule, fixture.build())).contains("the GPU is idle for 0.0% of the span meanwhile");
    }
}
