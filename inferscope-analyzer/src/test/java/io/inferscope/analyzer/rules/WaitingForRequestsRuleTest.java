package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.analyzer.rules.RuleVerdicts.time;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.calls.IdleWaits;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WaitingForRequestsRuleTest {
    private final Rule rule = new WaitingForRequestsRule();

    @Test
    void addsSocketsUnknownWakersAndShortSleeps() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [serve                                 ]
                state main   SSSSSSSSSSSSSSSSTTFFFFFFRRRRRRRRIIIIIIII
                """);

        assertThat(finding.claim())
                .isEqualTo("The program waits 24.0 us, 60.0% of the window; 66.7% of that is waiting for a socket.");
        assertThat(finding.costNs()).isEqualTo(us(24));
        assertThat(finding.share()).isEqualTo(0.60, within(1e-9));
        assertThat(finding.of()).isEqualTo("window of thread main");
        assertThat(finding.advice()).contains("send more at once");
        assertThat(finding.evidence()).containsExactly(time("waiting for a socket", us(16)));
    }

    /** Only the probe sees whether the loop's tasks await the timer. */
    @ParameterizedTest
    @CsvSource({"true, false, true", "false, false, false", "true, true, false"})
    void aLoopWhoseWaitsEndByATimerMayAwaitTheTimer(boolean gap, boolean probed, boolean expected) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 80, 0, 0, WaitReason.SOCKET)
                .waiting(WaitDetail.ENDED_BY_TIMEOUT)
                .sample("main", 0, 80, "app.py(18): <module>")
                .state("main", 80, 100, 20, 0, WaitReason.UNKNOWN)
                .sample("main", 80, 100, "app.py(19): use");
        if (gap) {
            fixture.builder().coverage(new Coverage("probe", 0, 1, "turned off by --no-probe"));
        }
        if (probed) {
            fixture.scope("main", 90, 95, "step");
        }
        Finding finding = found(rule, fixture);

        assertThat(finding.claim().contains("for that timer, or for a connection"))
                .isEqualTo(expected);
        assertThat(finding.claim().contains("waiting for a socket")).isNotEqualTo(expected);
        assertThat(finding.advice().contains("send more at once")).isNotEqualTo(expected);
    }

    @Test
    void aStoppedProgramWaitsForNobodyAndGainsNothing() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .state("main", 0, 80, 0, 0, WaitReason.UNKNOWN)
                        .waiting(WaitDetail.STOPPED)
                        .sample("main", 0, 80, "app.py(18): work")
                        .state("main", 80, 100, 20, 0, WaitReason.UNKNOWN)
                        .sample("main", 80, 100, "app.py(18): work")
                        .build());

        assertThat(finding.claim())
                .isEqualTo(
                        "The program does not run for 80.0 us, 80.0% of the window: a signal or a debugger stopped it.");
        assertThat(finding.causes()).containsExactly(LedgerClass.WAIT_STOPPED);
        assertThat(finding.evidence()).noneMatch(Evidence.Place.class::isInstance);
        assertThat(finding.gain()).isNull();
    }

    /** The worker's futex: only while no request is open, and nothing else may come from outside. */
    @ParameterizedTest
    @CsvSource({"none, true", "open request, false", "asked server, false"})
    void aServersThreadsHaveNothingToDoWhileOnlyClientsAreWaitedFor(String beside, boolean idle) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("1", 0, 100_000, 0, 0, WaitReason.SOCKET)
                .waiting(WaitDetail.FOR_REQUEST)
                .state("worker", 0, 100_000, 0, 0, WaitReason.FUTEX)
                .state("worker", 100_000, 110_000, 10_000, 0, WaitReason.FUTEX)
                .sample("worker", 0, 110_000, "app.py(18): work")
                .scope("worker", 100_000, 110_000, "work");
        switch (beside) {
            case "open request" -> {
                int process = fixture.builder().track(TrackKind.PROCESS, -1, "1");
                int requests = fixture.builder().track(TrackKind.REQUEST, process, "requests");
                int row = fixture.builder()
                        .row(
                                RowKind.REQUEST,
                                requests,
                                us(0),
                                us(90_000),
                                fixture.builder().name("GET /"));
                fixture.builder().attribute(row, Attribute.OTHER_THREAD, 7);
            }
            case "asked server" -> fixture.state("2", 0, 100_000, 0, 0, WaitReason.SOCKET);
            default -> fixture.state("2", 0, 100_000, 1, 0, WaitReason.TIMER);
        }
        Timeline timeline = fixture.build();
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());

        assertThat(analysis.ledger().ns(LedgerClass.WAIT_IDLE)).isEqualTo(idle ? us(100_000) : 0);
        if (idle) {
            Finding finding = found(rule, timeline);
            assertThat(finding.claim()).contains("has nothing to do for 100 ms, 90.9% of the window");
            assertThat(finding.severity()).isEqualTo(Finding.Severity.HEALTHY);
            assertThat(finding.gain()).isNull();
        }
    }

    /** A pool without clients: only while nobody works, sleeps by itself or is held up, in this process or another one. */
    @ParameterizedTest
    @CsvSource({
        "loop, true",
        "Attach Listener, false",
        "works, false",
        "sleeps, false",
        "asks, false",
        "has no lock, false",
        "another process works, false",
        "C2 CompilerThread0, true"
    })
    void aPoolHasNothingToDoWhileALoopWaitsForItsNextEvent(String beside, boolean idle) {
        TimelineFixture fixture = TimelineFixture.blank().process("1");
        if (beside.equals("Attach Listener")) {
            fixture.state(beside, 0, 100_000, 0, 0, WaitReason.SOCKET).waiting(WaitDetail.FOR_CONNECTION);
        } else {
            fixture.state("loop", 0, 100_000, 0, 0, WaitReason.PIPE).waiting(WaitDetail.OF_LOOP);
        }
        switch (beside) {
            case "works", "C2 CompilerThread0" -> fixture.state(beside, 0, 100_000, 50_000, 50_000, WaitReason.UNKNOWN);
            case "sleeps" -> fixture.state("2", 0, 100_000, 0, 0, WaitReason.TIMER);
            case "asks" -> fixture.state("2", 0, 100_000, 0, 0, WaitReason.SOCKET);
            case "has no lock" -> fixture.state("2", 0, 100_000, 0, 0, WaitReason.LOCK);
            default -> {}
        }
        fixture.state("worker", 0, 100_000, 0, 0, WaitReason.FUTEX)
                .state("worker", 100_000, 120_000, 20_000, 0, WaitReason.FUTEX)
                .sample("worker", 0, 120_000, "app.py(18): work")
                .scope("worker", 100_000, 120_000, "work");
        if (beside.equals("another process works")) {
            fixture.process("9").state("9", 0, 100_000, 100_000, 0, WaitReason.UNKNOWN);
        }
        Timeline timeline = fixture.build();

        assertThat(Analysis.of(timeline, Thresholds.defaults()).ledger().ns(LedgerClass.WAIT_IDLE))
                .isEqualTo(idle ? us(100_000) : 0);
        if (idle) {
            Finding finding = found(rule, timeline);
            assertThat(finding.claim()).contains("has nothing to do for 100 ms").doesNotContain("clients");
            assertThat(finding.advice()).contains("If it should be at work");
        }
    }

    /** No loop is needed where the stack shows that the thread is a pool's, and has no task. */
    @ParameterizedTest
    @CsvSource({
        "ThreadPoolExecutor.java(1062): java.util.concurrent.ThreadPoolExecutor.getTask, true, true",
        "ThreadPoolExecutor.java(1062): java.util.concurrent.ThreadPoolExecutor.getTask, false, false",
        "Bank.java(20): Bank.result, true, false"
    })
    void aPoolsThreadHasNothingToDoWhileItGetsWork(String by, boolean quiet, boolean idle) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("1")
                .state("1", 0, 100_000, quiet ? 0 : 100_000, 0, WaitReason.FUTEX)
                .state("pool", 0, 100_000, 0, 0, WaitReason.FUTEX)
                .sample(
                        "pool",
                        0,
                        100_000,
                        "Thread.java(840): java.lang.Thread.run",
                        by,
                        "LinkedBlockingQueue.java(435): java.util.concurrent.LinkedBlockingQueue.take",
                        "jdk.internal.misc.Unsafe.park")
                .state("pool", 100_000, 300_000, 200_000, 0, WaitReason.FUTEX)
                .sample("pool", 100_000, 300_000, "Bank.java(18): Bank.work");

        assertThat(Analysis.of(fixture.build(), Thresholds.defaults()).ledger().ns(LedgerClass.WAIT_IDLE))
                .isEqualTo(idle ? us(100_000) : 0);
    }

    /** Nobody knows whether a program that hardly works had more to do: only its own end shows that it had a whole task. */
    @ParameterizedTest
    @CsvSource({"true, 5, false", "false, 5, true", "true, 50, true"})
    void aProgramThatMayHaveHadNoWorkClaimsNoGain(boolean attached, int workMs, boolean gains) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("1")
                .state("1", 0, 100_000, 0, 0, WaitReason.FUTEX)
                .sample("1", 0, 100_000, "app.py(18): <module>")
                .state("1", 100_000, (100 + workMs) * 1000, workMs * 1000, 0, WaitReason.FUTEX)
                .sample("1", 100_000, (100 + workMs) * 1000, "app.py(19): use");
        if (attached) {
            fixture.builder().coverage(new Coverage("probe", 0, 1, "attached"));
        }
        Finding finding = found(rule, fixture);

        assertThat(finding.gain() != null).isEqualTo(gains);
        assertThat(finding.severity()).isEqualTo(gains ? Finding.Severity.CRITICAL : Finding.Severity.INFO);
        assertThat(finding.claim())
                .contains(gains ? "no record says for whom" : "it has no work, or something holds it");
    }

    @Test
    void waitsThatOnlyANameTellsHaveNoGain() {
        Finding finding = found(
                rule, TimelineFixture.blank().scope("main", 0, 100, "step").scope("main", 10, 90, "nccl:all_reduce"));

        assertThat(finding.claim())
                .isEqualTo("The program waits 80.0 us, 80.0% of the window; no record says for whom.");
        assertThat(finding.evidence())
                .contains(new Evidence.Place("waiting, cause unknown, wall time", "nccl:all_reduce", us(80), 1));
        assertThat(finding.advice()).contains("slowest rank");
        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause()).startsWith("what ends these waits");
    }

    /** A library waits inside its own code for its own threads. Other programs had the CPUs for a part of the wait. */
    @Test
    void whoeverWorkedDuringAWaitForNobodyKnowsWhomIsNamedBeforeThePlaceOfTheWait() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .scope("main", 0, 100, "serve")
                        .state("main", 0, 80, 0, 0, WaitReason.PIPE)
                        .sample("main", 0, 80, "app.py(18): ask", "called [library.so]")
                        .state("pool", 0, 100, 50, 0, WaitReason.UNKNOWN)
                        .sample("pool", 0, 100, "app.py(7): rank")
                        .state("main", 80, 100, 20, 0, WaitReason.UNKNOWN)
                        .sample("main", 80, 100, "app.py(19): use"));

        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("at work meanwhile by `thread pool`", "app.py:7 rank", us(40), 1));
        assertThat(finding.evidence())
                .filteredOn(
                        e -> e instanceof Evidence.Place place && place.where().contains("app.py:18"))
                .isNotEmpty();
    }

    /** The thread of the event loop works or waits for a CPU meanwhile: that is none of a worker's without a task. */
    @ParameterizedTest
    @CsvSource({
        "/usr/lib/python3.11/site-packages/anyio/_backends/_asyncio.py(1113): WorkerThread.run, true",
        "/app/serve.py(9): ask, false"
    })
    void aLibrarysWorkerWithoutATaskHasNothingToDo(String runs, boolean idle) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("loop", 0, 70_000, 0, 0, WaitReason.SOCKET)
                .waiting(WaitDetail.FOR_REQUEST)
                .state("loop", 70_000, 110_000, 10_000, 30_000, WaitReason.UNKNOWN)
                .state("worker", 0, 100_000, 0, 0, WaitReason.FUTEX)
                .sample("worker", 0, 100_000, runs, "/usr/lib/python3.11/queue.py(171): Queue.get")
                .state("worker", 100_000, 110_000, 10_000, 0, WaitReason.FUTEX)
                .sample("worker", 100_000, 110_000, runs, "/app/serve.py(18): work")
                .scope("worker", 100_000, 110_000, "work");

        assertThat(Analysis.of(fixture.build(), Thresholds.defaults()).ledger().ns(LedgerClass.WAIT_IDLE))
                .isEqualTo(idle ? us(100_000) : 0);
    }

    /** Nobody works meanwhile, but a pool's thread asks a store; one that waits for work says nothing. */
    @Test
    void aThreadThatSleepsMeanwhileIsShown() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .process("1")
                        .scope("main", 0, 100, "serve")
                        .state("main", 0, 80, 0, 0, WaitReason.FUTEX)
                        .sample("main", 0, 80, "/app/serve.py(18): ask")
                        .state("pool", 0, 70, 0, 0, WaitReason.TIMER)
                        .sample("pool", 0, 70, "/app/serve.py(7): features")
                        .state("idle", 0, 100, 0, 0, WaitReason.FUTEX)
                        .sample("idle", 0, 100, "/usr/lib/python3.11/concurrent/futures/thread.py(81): _worker")
                        .state("main", 80, 100, 20, 0, WaitReason.UNKNOWN)
                        .sample("main", 80, 100, "/app/serve.py(19): use"));

        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("asleep meanwhile", "/app/serve.py:7 features", us(70), 1));
    }

    /** A loop waits for the thread to which it gave work, whatever that thread is seen to wait for meanwhile. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLoopThatAwaitsAThreadHasSomethingToDo(boolean gaveWork) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("loop", 0, 100, 0, 0, WaitReason.PIPE)
                .waiting(WaitDetail.OF_LOOP)
                .state("worker", 0, 100, 0, 0, WaitReason.FUTEX);
        if (gaveWork) {
            fixture.handedOverByTask("loop", "app.py:14 ask", 0, 1, 99);
        }
        Timeline timeline = fixture.build();
        int waits = IntStream.range(0, timeline.rowCount())
                .filter(row -> WaitDetail.OF_LOOP.isOf(timeline, row))
                .findFirst()
                .orElseThrow();

        assertThat(new IdleWaits(timeline).isIdle(waits)).isNotEqualTo(gaveWork);
    }

    @Test
    void anEventLoopWaitsWhereItsTaskAwaitsTheAnswer() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .scope("main", 0, 100, "app.py")
                        .activity(RangeActivity.INTERPRETER)
                        .scope("main", 10, 90, "asyncio await")
                        .activity(RangeActivity.AWAIT)
                        .where("app.py:14 ask")
                        .state("main", 0, 100, 20, 0, WaitReason.SOCKET)
                        .sample(
                                "main",
                                0,
                                100,
                                "app.py(30): <module>",
                                "/usr/lib/python3.11/selectors.py(468): select"));

        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("waiting for a socket", "app.py:14 ask", us(80), 1));
    }

    /** A client sends a head and a body. The kernel holds the body back until the server's delayed acknowledgement. */
    @Test
    void dataThatArrives40MsAfterItWasSentWasHeldBack() {
        Finding finding = found(rule, heldBack(41_000));

        assertThat(finding.claim())
                .endsWith("100.0% of that is waiting for a socket."
                        + " 12 times data arrived about 40 ms after it was sent, 492 ms in all.");
        assertThat(finding.advice()).contains("TCP_NODELAY");
        assertThat(finding.evidence().get(0).toString()).contains("sent 40 ms before it arrived");
    }

    @Test
    void aServerThatWorksFor40MsHoldsNothingBack() {
        Finding finding = found(rule, heldBack(500));

        assertThat(finding.claim()).endsWith("100.0% of that is waiting for a socket.");
        assertThat(finding.advice()).contains("send more at once");
    }

    /** Twelve requests: the body arrives so long after it was sent, and the answer 41 ms after it in any case. */
    private static TimelineFixture heldBack(double arrivesUs) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 12 * 50_000, "ask");
        for (int i = 0; i < 12; i++) {
            double from = 50_000.0 * i;
            fixture.state("main", from, from + 1_000, 1_000, 0, WaitReason.UNKNOWN)
                    .handedOver("main", "server", from + 900, from + 1_000, from + 1_000 + arrivesUs, HandOver.SOCKET)
                    .state("main", from + 1_000, from + 42_100, 0, 0, WaitReason.SOCKET)
                    .handedOver("server", "main", from + 1_000, from + 42_100, HandOver.SOCKET)
                    .state("main", from + 42_100, from + 50_000, 7_900, 0, WaitReason.UNKNOWN);
        }
        return fixture;
    }

    @Test
    void withAGpuOnlyItsIdleTimeCounts() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  LL[serve                       ]LL
                state main   RRSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSRR
                stream 7     ..KKKKKKKKKKKKKKKKKK..............KKKKKK
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("The program waits 12.0 us, 30.0% of the window; 100.0% of that is waiting for a socket.");
        assertThat(finding.of()).isEqualTo("window of device 0");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("waiting for a socket, blocked on a socket", "serve", us(12), 1),
                        time("waiting for a socket", us(12)));
    }

    @Test
    void timeSleptIsOneFindingAndNotTwo() {
        String slept = """
                us           0         10        20        30        40
                thread main  [serve                                 ]
                state main   SSTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTRRRRRRRR
                """;

        assertThat(found(new SleepingRule(), slept).costNs()).isEqualTo(us(30));
        assertThat(clean(rule, slept))
                .isEqualTo("waiting for others takes 5.0% of the window; time slept is covered by sleeping");
    }

    @Test
    void shortWaitsAreClean() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  [generate                              ]
                        state main   RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRSSSS
                        """)).isEqualTo("waiting for others takes 10.0% of the window");
    }

    @Test
    void aThreadThatNeverWaitsIsClean() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  [generate                              ]
                        state main   RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR
                        """)).isEqualTo("waiting for others takes 0.0% of the window");
    }

    @Test
    void saysNothingWithoutThreadStates() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  [generate          ]
                """)).isEqualTo("thread states are not recorded");
    }
}
