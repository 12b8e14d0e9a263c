package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Gain;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SleepingRuleTest {
    @Test
    void aThreadThatPollsForOthersIsToldWhenItSleepsOn() {
        assertThat(polling(80).claim())
                .isEqualTo(
                        "The critical thread sleeps 50.0 us; other threads of its process work, or wait for a CPU, in up to 40.0 us of that. In the rest, 10.0 us, 10.0% of the window, it may sleep on although their work is done.");
        assertThat(polling(80).costNs()).isEqualTo(us(10));
        assertThat(polling(80).gain()).returns(us(10), Gain::highNs);
        assertThat(polling(80).causes()).containsExactly(LedgerClass.WAIT_TIMER);
        assertThat(polling(20).claim()).isEqualTo("The critical thread sleeps 50.0 us, 50.0% of the window.");
    }

    /** The thread would wait for the others anyway. */
    @Test
    void aSleepInWhichOthersWorkAllTheTimeIsNoFinding() {
        assertThat(clean(new SleepingRule(), drawn(100))).startsWith("other threads of the process work");
    }

    private static Finding polling(double onCpuUs) {
        return found(new SleepingRule(), drawn(onCpuUs));
    }

    /** Without the probe, only the loop is seen: its line is not the one that waits. */
    @Test
    void aTimerOfAnEventLoopIsToldAsItsTasks() {
        Finding finding = found(
                new SleepingRule(),
                TimelineFixture.blank()
                        .state("main", 0, 50, 50, 0, WaitReason.UNKNOWN)
                        .sample("main", 0, 50, "/app/serve.py(31): handle")
                        .state("main", 50, 100, 0, 0, WaitReason.TIMER)
                        .sample(
                                "main",
                                50,
                                100,
                                "/app/serve.py(40): main",
                                "/usr/lib/python3.11/asyncio/runners.py(190): run",
                                "/usr/lib/python3.11/selectors.py(468): EpollSelector.select")
                        .build());

        assertThat(finding.claim())
                .isEqualTo("An event loop, none of whose tasks is due, waits 50.0 us for a timer, 50.0% of the window;"
                        + " which task set it is not recorded.");
        assertThat(finding.advice()).contains("without `--no-probe`");
    }

    /** A worker that is on a CPU for so much of 100 us, in the second half of which the main thread sleeps. */
    private static Timeline drawn(double onCpuUs) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, 50, 50, 0, WaitReason.UNKNOWN)
                .state("main", 50, 100, 0, 0, WaitReason.TIMER)
                .state("worker", 0, 100, onCpuUs, 0, WaitReason.FUTEX)
                .build();
    }
}
