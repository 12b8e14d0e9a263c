package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class CompileLoadRuleTest {
    private final Rule rule = new CompileLoadRule();

    @Test
    void reportsTheTimeAndTheLine() {
        Finding finding = found(rule, waiting(60, 100).build());

        assertThat(finding.costNs()).isEqualTo(us(40));
        assertThat(finding.share()).isEqualTo(0.4);
        assertThat(finding.evidence())
                .filteredOn(Evidence.Place.class::isInstance)
                .extracting(e -> ((Evidence.Place) e).where())
                .contains("serve.py:7 step");
    }

    @Test
    void aProgramWithoutAGpuIsToldNothingOfCuda() {
        TimelineFixture withGpu = waiting(60, 100).kernel("7", 10, 20, "gemm").launchedBy("main", 8, 9);

        assertThat(found(rule, waiting(60, 100).build()).advice()).doesNotContain("CUDA");
        assertThat(found(rule, withGpu.build()).advice()).contains("CUDA_MODULE_LOADING");
    }

    @Test
    void littleIsNotWorthAFinding() {
        assertThat(clean(rule, waiting(95, 100).build())).contains("5.0% of the window");
    }

    @Test
    void withoutAHostThreadItSaysNothing() {
        assertThat(notApplicable(
                        rule, TimelineFixture.blank().kernel("7", 0, 10, "gemm").build()))
                .contains("no host activity");
    }

    private static TimelineFixture waiting(double fromUs, double toUs) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .scope("main", fromUs, toUs, "load_model")
                .sample("main", 0, fromUs, "serve.py(7): step")
                .sample("main", fromUs, toUs, "serve.py(7): step");
    }
}
