package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class ThreadContentionRuleTest {
    private final Rule rule = new ThreadContentionRule();

    /** Two threads over a second, held up for {@code heldUs} of each 10 ms. */
    private static TimelineFixture turns(double heldUs, WaitReason reason) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 1_000_000, "serve");
        for (int i = 0; i < 100; i++) {
            fixture.state("main", 10_000.0 * i, 10_000.0 * (i + 1), 10_000 - heldUs, 0, reason);
            fixture.state("worker", 10_000.0 * i, 10_000.0 * (i + 1), 10_000 - heldUs, 0, reason);
        }
        return fixture;
    }

    @Test
    void threadsThatHoldOneAnotherUpTakeTurns() {
        Finding finding = found(rule, turns(5_000, WaitReason.LOCK));

        assertThat(finding.claim())
                .isEqualTo(
                        "2 threads are held up by locks or the GIL for 1.00 s in all, 500 ms each, beside 1.00 s on CPUs:"
                                + " they take turns rather than run side by side.");
        assertThat(finding.evidence())
                .contains(new Evidence.Place("held up; it ran for 500 ms", "process 1, thread main", us(500_000), 1));
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void theGilCountsToo() {
        assertThat(found(rule, turns(5_000, WaitReason.GIL)).costNs()).isEqualTo(us(500_000));
    }

    @Test
    void waitingForWorkIsNoContention() {
        assertThat(clean(rule, turns(5_000, WaitReason.FUTEX)))
                .isEqualTo("0 threads are held up by locks or the GIL for long");
    }

    @Test
    void shortWaitsAreClean() {
        assertThat(clean(rule, turns(3_000, WaitReason.LOCK)))
                .isEqualTo("threads are held up for 42.9% of the time in which they run");
    }
}
