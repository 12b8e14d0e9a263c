package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildProcessRuleTest {
    @Test
    void whatUnseenChildrenComputedIsEvidence() {
        assertThat(evidence(2.1e9)).anyMatch(shown -> shown.label().contains("too short-lived to be seen"));
        assertThat(evidence(20e6))
                .as("within the error of ticks")
                .noneMatch(shown -> shown.label().contains("short-lived"));
    }

    private static List<Evidence> evidence(double unseenNs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .counter("host.unseen_children_cpu_ns", 50, unseenNs);
        return found(new ChildProcessRule(), fixture.state("main", 0, 100, 0, 0, WaitReason.CHILD_PROCESS))
                .evidence();
    }
}
