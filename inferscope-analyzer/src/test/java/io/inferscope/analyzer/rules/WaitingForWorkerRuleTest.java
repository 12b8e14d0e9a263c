package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class WaitingForWorkerRuleTest {
    private final Rule rule = new WaitingForWorkerRule();

    @Test
    void namesTheWorkersLine() {
        Finding finding = found(rule, waiting(60).build());

        assertThat(finding.costNs()).isEqualTo(us(60));
        assertThat(finding.claim()).contains("thread worker");
        assertThat(finding.evidence())
                .contains(new Evidence.Place("preprocessing in thread worker", "load.py:3 preprocess", us(60), 1));
    }

    @Test
    void shortWaitsAreNotWorthAFinding() {
        assertThat(clean(rule, waiting(2).build())).contains("2.0% of the window");
    }

    @Test
    void withoutHandOversAndStacksNothingIsKnown() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 100, "step").state("main", 0, 100, 0, 0, WaitReason.FUTEX);

        assertThat(notApplicable(rule, fixture.build())).contains("neither hand-overs");
    }

    private static TimelineFixture waiting(double untilUs) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, untilUs, 0, 0, WaitReason.FUTEX)
                .state("main", untilUs, 100, 100 - untilUs, 0, WaitReason.UNKNOWN)
                .state("worker", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 100, "load.py(3): preprocess")
                .handedOver("worker", "main", 0, untilUs);
    }
}
