package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class LongGapsRuleTest {
    private final Rule rule = new LongGapsRule();

    /** Kernels of 10 us with gaps of 5 us, except after every tenth, where the gap is {@code longUs}. */
    private static Timeline kernels(int count, double longUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        double atUs = 20;
        for (int i = 1; i <= count; i++) {
            fixture.kernel("7", atUs, atUs + 10, "gemm").launchedBy("main", atUs - 4, atUs - 2);
            atUs += i % 10 == 0 ? 10 + longUs : 15;
        }
        return fixture.build();
    }

    @Test
    void aFewGapsHoldTheIdleTime() {
        Finding finding = found(rule, kernels(31, 300));

        assertThat(finding.costNs()).isEqualTo(us(900));
        assertThat(finding.claim())
                .startsWith("Idle gaps of more than 25.0 us, 3 of 30, hold 87.0% of the idle time: 900 us");
        assertThat(finding.evidence()).contains(count("long gaps", 3));
    }

    @Test
    void gapsThatAreAllAlikeDoNotStandOut() {
        assertThat(clean(rule, kernels(31, 5))).isEqualTo("gaps above 25.0 us take 0.0% of the span");
    }

    @Test
    void whereMostIdleTimeIsInSmallGapsAFewLongOnesAreNotTheCause() {
        assertThat(clean(rule, kernels(31, 30))).isEqualTo("most of the idle time is in gaps of up to 25.0 us");
    }

    @Test
    void aFewGapsTellNothing() {
        assertThat(clean(rule, kernels(5, 300))).isEqualTo("4 gaps are too few to tell which stand out");
    }
}
