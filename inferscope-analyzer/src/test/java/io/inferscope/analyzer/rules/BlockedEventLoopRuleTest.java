package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
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
        Finding finding = found(rule, loop("app.py(3): handle"));

        assertThat(finding.costNs()).isEqualTo(us(50));
        assertThat(finding.causes()).contains(LedgerClass.WAIT_TIMER);
        assertThat(finding.evidence()).containsExactly(new Evidence.Place("blocks", "app.py:3 handle", us(50), 1));
    }

    /** As in Ray Serve's replicas: uvloop has no frame of Python, and its tasks follow the line that started it. */
    @Test
    void tasksFollowTheLineThatStartedACompiledLoop() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 60, 10, 0, WaitReason.TIMER)
                .sample("main", 0, 60, "serve/replica.py(9): run_loop", "app.py(3): handle")
                .state("main", 60, 100, 0, 0, WaitReason.SOCKET)
                .sample(
                        "main",
                        60,
                        100,
                        "serve/replica.py(9): run_loop",
                        "called [loop.cpython-311-x86_64-linux-gnu.so]");

        assertThat(found(rule, fixture).evidence())
                .containsExactly(new Evidence.Place("blocks", "app.py:3 handle", us(50), 1));
    }

    /** The task computes for 50 of 100 us and blocks for 30; one sample saw each. */
    @Test
    void whatATaskComputesIsNoPlaceWhereItBlocks() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 70, 0, WaitReason.TIMER)
                .sample("main", 0, 50, "app.py(9): main", RUN, "app.py(2): compute");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.HOLDS);
        fixture.sample("main", 50, 100, "app.py(9): main", RUN, "app.py(3): handle");

        assertThat(found(rule, fixture).evidence())
                .containsExactly(new Evidence.Place("blocks", "app.py:3 handle", us(30), 1));
    }

    /** What a process does meanwhile, for whose result a task waits, is told by other findings, with its own place. */
    @Test
    void whatIsDoneMeanwhileIsNoCauseOfItsPlaces() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "serve")
                .state("main", 0, 100, 0, 0, WaitReason.SOCKET)
                .sample("main", 0, 100, "app.py(9): main", RUN, "app.py(3): handle")
                .state("worker", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 100, "PIL/Image.py(3): open")
                .handedOver("worker", "main", 0, 100);

        assertThat(found(rule, fixture).causes()).doesNotContain(LedgerClass.CPU_PREPROCESSING);
    }

    /** Of two calls of 40 us one was sampled, inside a task; the sample between them shows the loop's own wait. */
    @Test
    void callsThatNoSampleShowsBlockLikeTheSampledOnes() {
        Timeline timeline = TimelineFixture.blank()
                .state("main", 0, 100, 0, 0, WaitReason.SOCKET)
                .scope("main", 0, 40, "HTTP GET")
                .where("app.py:3 handle")
                .sample("main", 0, 40, "app.py(9): main", RUN, "app.py(3): handle")
                .sample("main", 40, 60, "app.py(9): main", SELECT)
                .scope("main", 60, 100, "HTTP GET")
                .where("app.py:3 handle")
                .build();

        Finding finding = found(rule, timeline);

        assertThat(finding.evidence()).containsExactly(new Evidence.Place("blocks", "app.py:3 handle", us(80), 1));
        assertThat(found(new WaitingForRequestsRule(), timeline).advice()).isEqualTo(finding.advice());
    }

    /** Of a loop in compiled code, no frame of its own shows; whoever started it is followed by what it runs. */
    @Test
    void aLoopInCompiledCodeRunsWhatFollowsItsStart() {
        String start = "/usr/lib/python3.11/asyncio/runners.py(118): Runner.run";
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 60, 10, 0, WaitReason.TIMER)
                .sample("main", 0, 60, "app.py(9): main", start, "app.py(3): handle")
                .state("main", 60, 100, 0, 0, WaitReason.SOCKET)
                .sample("main", 60, 100, "app.py(9): main", start, "called [loop.cpython-311-x86_64-linux-gnu.so]");

        assertThat(found(rule, fixture).evidence())
                .containsExactly(new Evidence.Place("blocks", "app.py:3 handle", us(50), 1));
    }

    @Test
    void whatStartsALoopOfPythonIsNoTask() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .state("main", 0, 100, 1, 0, WaitReason.SOCKET)
                                .sample(
                                        "main",
                                        0,
                                        100,
                                        "app.py(9): main",
                                        "/usr/lib/python3.11/asyncio/runners.py(118): Runner.run",
                                        "/usr/lib/python3.11/asyncio/base_events.py(640): BaseEventLoop.run_until_complete",
                                        "/usr/lib/python3.11/asyncio/base_events.py(607): BaseEventLoop.run_forever",
                                        SELECT)))
                .contains("no task");
    }

    @Test
    void aLoopThatWaitsForWorkIsNotBlocked() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .state("main", 0, 100, 1, 0, WaitReason.SOCKET)
                                .sample("main", 0, 100, "app.py(9): main", SELECT)))
                .contains("no task");
    }

    @Test
    void withoutStacksNothingIsSaid() {
        assertThat(notApplicable(rule, TimelineFixture.blank().state("main", 0, 100, 0, 0, WaitReason.TIMER)))
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
