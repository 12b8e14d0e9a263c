package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class BlockedEventLoopRuleTest {
    private static final String RUN = "/usr/lib/python3.11/asyncio/events.py(84): Handle._run";
    private static final String SELECT = "/usr/lib/python3.11/selectors.py(468): EpollSelector.select";

    private final Rule rule = new BlockedEventLoopRule();

    /** 100 us of a loop: in a task that works for 10 us and sleeps for 50, and waiting for work in the rest. */
    private static TimelineFixture loop(String inTask) {
        return TimelineFixture.blank()
                .state("main", 0, 60, 10, 0, WaitReason.TIMER)
                .sample("main", 0, 60, "app.py(9): main", RUN, inTask)
                .state("main", 60, 100, 0, 0, WaitReason.SOCKET)
                .sample("main", 60, 100, "app.py(9): main", SELECT);
    }

    @Test
    void namesTheCallThatBlocksInATask() {
        Finding finding = found(rule, loop("app.py(3): handle").build());

        assertThat(finding.costNs()).isEqualTo(us(50));
        assertThat(finding.causes()).contains(LedgerClass.WAIT_TIMER);
        assertThat(finding.evidence()).containsExactly(new Evidence.Place("blocks", "app.py:3 handle", us(50), 1));
    }

    @Test
    void aLoopThatWaitsForWorkIsNotBlocked() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .state("main", 0, 100, 1, 0, WaitReason.SOCKET)
                                .sample("main", 0, 100, "app.py(9): main", SELECT)
                                .build()))
                .contains("no task");
    }

    @Test
    void withoutStacksNothingIsSaid() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank()
                                .state("main", 0, 100, 0, 0, WaitReason.TIMER)
                                .build()))
                .contains("stacks");
    }

    @Test
    void sleepingHasNothingToAdd() {
        assertThat(new Analyzer()
                        .analyze(loop("app.py(3): handle").build(), "loop")
                        .findings())
                .extracting(Finding::rule)
                .contains("blocked-event-loop")
                .doesNotContain("sleeping");
    }
}
