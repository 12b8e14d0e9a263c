package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class ExhaustedPoolRuleTest {
    private final Rule rule = new ExhaustedPoolRule();

    /** An item that one thread gives and another takes; the taker had waited for one since {@code idleUs}. */
    private static void item(TimelineFixture fixture, String worker, double givenUs, double idleUs, double takenUs) {
        fixture.host(RowKind.HAND_OVER, "main", givenUs, givenUs, "gives future Executor.submit");
        int gives = fixture.lastRow();
        fixture.builder().attribute(gives, Attribute.HAND_OVER, HandOver.FUTURE.ordinal());
        fixture.host(RowKind.HAND_OVER, worker, idleUs, takenUs, "takes future Executor.submit");
        fixture.builder().attribute(fixture.lastRow(), Attribute.HAND_OVER, HandOver.FUTURE.ordinal());
        fixture.builder().attribute(fixture.lastRow(), Attribute.TAKES, 1);
        fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);
    }

    /** An item comes each 10 us for 200 us, and the one worker takes 20 us for each: it has none to wait for. */
    private static TimelineFixture overrun(WaitReason workerWaitsFor, double onCpuUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 220, "serve")
                .state("main", 0, 220, 0, 0, WaitReason.TIMER)
                .state("ask_0", 0, 220, onCpuUs, 0, workerWaitsFor)
                .sample("ask_0", 0, 220, "app.py(5): ask");
        for (int i = 0; i < 11; i++) {
            item(fixture, "ask_0", 10 * i, 20 * i, 20 * i);
        }
        return fixture;
    }

    /** The same, and then 110 us in which who gave the items waits for the last result. */
    private static TimelineFixture awaited(WaitReason workerWaitsFor, double onCpuUs) {
        return overrun(workerWaitsFor, onCpuUs)
                .state("main", 220, 330, 0, 0, WaitReason.FUTEX)
                .state("ask_0", 220, 330, onCpuUs > 0 ? 110 : 0, 0, workerWaitsFor)
                .sample("ask_0", 220, 330, "app.py(5): ask")
                .handedOver("ask_0", "main", 220, 330, HandOver.FUTURE);
    }

    /** An event loop that gave the items is woken by the worker for each result. */
    @Test
    void anEventLoopAwaitsTheResults() {
        TimelineFixture fixture = overrun(WaitReason.SOCKET, 0);
        for (int i = 1; i <= 10; i++) {
            fixture.host(RowKind.HAND_OVER, "ask_0", 20 * i, 20 * i, "gives event asyncio wake-up");
            int gives = fixture.lastRow();
            fixture.builder().attribute(gives, Attribute.HAND_OVER, HandOver.EVENT.ordinal());
            fixture.host(RowKind.HAND_OVER, "main", 20 * i - 19, 20 * i, "takes event asyncio wake-up");
            fixture.builder().attribute(fixture.lastRow(), Attribute.HAND_OVER, HandOver.EVENT.ordinal());
            fixture.builder().attribute(fixture.lastRow(), Attribute.TAKES, 1);
            fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);
        }

        assertThat(found(rule, fixture).claim())
                .contains("The program waits ")
                .doesNotContain("does not show that anything waits");
    }

    /** Every 400 us four items are given at once to one thread, which waits 25 us for each; their giver waits for all. */
    @Test
    void aPoolWithPausesIsExhaustedWhileItsItemsAreAwaited() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int round = 0; round < 10; round++) {
            double us = 400.0 * round;
            for (int i = 0; i < 4; i++) {
                item(fixture, "ask_0", us, i > 0 ? us + 25 * i : Math.max(0, us - 300), us + 25 * i);
            }
            fixture.state("main", us, us + 100, 0, 0, WaitReason.FUTEX)
                    .state("ask_0", us, us + 100, 0, 0, WaitReason.SOCKET)
                    .sample("ask_0", us, us + 100, "app.py(5): ask")
                    .handedOver("ask_0", "main", us, us + 100, HandOver.FUTURE)
                    .scope("main", us + 100, us + 400, "forward")
                    .state("main", us + 100, us + 400, 300, 0, WaitReason.UNKNOWN)
                    .state("ask_0", us + 100, us + 400, 0, 0, WaitReason.FUTEX);
        }

        Finding finding = found(rule, fixture);

        assertThat(finding.costNs()).isEqualTo(us(900)); // The steady state begins with the first forward pass.
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.claim())
                .contains("while 1.5 items on average waited for a thread")
                .contains("Waiting for something outside the program took 100.0% of that time.");
        assertThat(finding.advice()).contains("max_workers");
    }

    /** The worker makes room in the queue, for which who gives the items had waited. */
    private static TimelineFixture bounded(TimelineFixture fixture, String worker) {
        fixture.host(RowKind.HAND_OVER, worker, 60, 60, "gives queue Queue: room");
        int gives = fixture.lastRow();
        fixture.builder().attribute(gives, Attribute.HAND_OVER, HandOver.QUEUE.ordinal());
        fixture.host(RowKind.HAND_OVER, "main", 50, 60, "takes queue Queue: room");
        fixture.builder().attribute(fixture.lastRow(), Attribute.HAND_OVER, HandOver.QUEUE.ordinal());
        fixture.builder().attribute(fixture.lastRow(), Attribute.TAKES, 1);
        fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);
        return fixture;
    }

    /** Item i waits for 10 i us, of 200 in which the worker takes: 550 us in all, 2.75 at once. */
    @Test
    void namesThePoolWhatWaitsForItAndWhatItDoes() {
        Finding finding = found(rule, awaited(WaitReason.SOCKET, 0));

        assertThat(finding.costNs()).isEqualTo(us(110));
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.causes()).containsExactly(LedgerClass.WAIT_SOCKET);
        assertThat(finding.claim())
                .isEqualTo(
                        "The one thread of the pool `ask_N` had work for 100.0% of 200 us, while 2.8 items on average"
                                + " waited for a thread, each for up to 100 us. Waiting for something outside the program took 100.0% of that time."
                                + " The program waits 110 us for it, 33.3% of the window.");
        assertThat(finding.evidence()).contains(new Evidence.Place("waiting for a socket", "app.py:5 ask", us(200), 1));
        assertThat(finding.advice()).contains("max_workers", "Bound the queue");
    }

    /** Log lines that a thread of its own sends: the program would end no earlier. */
    @Test
    void whatNobodyWaitsForCostsNothingAndSilencesNothing() {
        Timeline timeline = overrun(WaitReason.SOCKET, 0).build();
        Finding finding = found(rule, timeline);

        assertThat(finding.costNs()).isZero();
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.claim()).endsWith("The recording does not show that anything waits for its results.");
        assertThat(new Analyzer().analyze(timeline, "pool").findings())
                .extracting(Finding::rule)
                .contains("sleeping");
    }

    /** A queue that is kept full for the slowest stage is what a pipeline looks like. */
    @Test
    void theOneThreadOfABoundedQueueIsAStageOfAPipeline() {
        TimelineFixture fixture = bounded(awaited(WaitReason.SOCKET, 0), "ask_0");

        assertThat(clean(rule, fixture)).contains("no pool has all its threads at work");
    }

    @Test
    void aBoundedQueueIsNotToBeBounded() {
        TimelineFixture fixture = awaited(WaitReason.SOCKET, 0)
                .state("ask_1", 0, 220, 0, 0, WaitReason.SOCKET)
                .sample("ask_1", 0, 220, "app.py(5): ask");
        for (int i = 0; i < 11; i++) {
            item(fixture, "ask_1", 10 * i, 20 * i, 20 * i);
        }

        assertThat(found(rule, bounded(fixture, "ask_1")).advice())
                .contains("max_workers")
                .doesNotContain("Bound");
    }

    @Test
    void moreThreadsAreNotAdvisedWhereTheyCompute() {
        Finding finding = found(rule, overrun(WaitReason.UNKNOWN, 220));

        assertThat(finding.severity()).isEqualTo(Severity.INFO);
        assertThat(finding.advice()).doesNotContain("max_workers").contains("CPUs");
    }

    @Test
    void aPoolThatWaitsForWorkIsNotExhausted() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 220, "serve").state("ask_0", 0, 220, 55, 0, WaitReason.FUTEX);
        for (int i = 0; i < 11; i++) {
            item(fixture, "ask_0", 20 * i, Math.max(0, 20 * i - 15), 20 * i + 1);
        }

        assertThat(clean(rule, fixture)).contains("no pool has all its threads at work");
    }

    @Test
    void withoutQueuesNothingIsSaid() {
        assertThat(notApplicable(rule, TimelineFixture.blank().scope("main", 0, 100, "serve")))
                .contains("no work");
    }

    @Test
    void whoFeedsItMaySleep() {
        assertThat(new Analyzer()
                        .analyze(awaited(WaitReason.SOCKET, 0).build(), "pool")
                        .findings())
                .extracting(Finding::rule)
                .contains("exhausted-pool")
                .doesNotContain("sleeping");
    }
}
