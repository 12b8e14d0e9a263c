package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class MemoryPressureRuleTest {
    private final Rule rule = new MemoryPressureRule();

    @Test
    void throttlingIsReportedWithItsTime() {
        Finding finding = found(rule, counting("host.cgroup_throttled_ns", 0, 40_000));

        assertThat(finding.costNs()).isEqualTo(us(40));
        assertThat(finding.claim()).contains("CPU limit held tasks up for 40.0 us");
        assertThat(finding.advice()).contains("CPU limit");
    }

    @Test
    void swappingIsReportedWithItsSize() {
        Finding finding = found(rule, counting("host.swap_bytes", 0, 1 << 30));

        assertThat(finding.claim()).contains("swapped out");
        assertThat(finding.advice()).contains("more memory");
    }

    @Test
    void memoryThatGrowsIsNoPressure() {
        assertThat(clean(rule, counting("host.rss_bytes", 0, 1 << 30))).contains("memory sufficed");
    }

    @Test
    void withoutCountersNothingIsKnown() {
        assertThat(notApplicable(rule, TimelineFixture.blank().scope("main", 0, 100, "step")))
                .contains("no counters");
    }

    private static TimelineFixture counting(String name, double first, double last) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .counter(name, 10, first)
                .counter(name, 90, last);
    }
}
