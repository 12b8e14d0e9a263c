package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class MemoryGrowthRuleTest {
    private final Rule rule = new MemoryGrowthRule();

    /** Twenty readings, a second apart. */
    private static Timeline memory(IntToDoubleFunction gigabytes) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 20_000_000, "serve");
        for (int i = 0; i < 20; i++) {
            fixture.counter("host.rss_bytes", 1_000_000.0 * i, gigabytes.applyAsDouble(i) * 1e9);
        }
        return fixture.build();
    }

    @Test
    void memoryThatGrowsThroughoutIsReported() {
        Finding finding = found(rule, memory(i -> 1 + 0.1 * i));

        assertThat(finding.claim())
                .contains("keeps growing: by 858 MiB in the second half of the recording, to 2.70 GiB");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void aStartThatFillsMemoryIsClean() {
        assertThat(clean(rule, memory(i -> Math.min(8, i))))
                .isEqualTo("memory does not grow in the second half of the recording");
    }

    @Test
    void aSingleStepIsNoGrowth() {
        assertThat(clean(rule, memory(i -> i < 15 ? 1 : 2)))
                .isEqualTo("memory does not grow in the second half of the recording");
    }

    @Test
    void aShortRecordingSaysNothing() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank()
                                .scope("main", 0, 100, "serve")
                                .counter("host.rss_bytes", 10, 1)
                                .counter("host.rss_bytes", 90, 2)
                                .build()))
                .isEqualTo("no process' memory is recorded for long enough");
    }
}
