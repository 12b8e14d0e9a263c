package io.inferscope.analyzer.activity;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.HolderEvidence;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.HolderFigures;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Time that a thread only waited is what the thread did that it waited for. */
class WaitFollowerTest {
    @Test
    void aWaitIsWhatTheGiverDidMeanwhile() {
        Report report = analyze(main(0, 60)
                .state("worker", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 20, "feed.py(3): read")
                .sample("worker", 20, 100, "PIL/Image.py(9): open")
                .handedOver("worker", "main", 0, 50));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_PREPROCESSING)).isEqualTo(us(30));
        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN))
                .as("from giving to waking up")
                .isEqualTo(us(10));
        assertThat(report.rows(HostTables.HOST_TIME))
                .filteredOn(PlaceFigures::followed)
                .extracting(PlaceFigures::thread, PlaceFigures::cause, PlaceFigures::where, PlaceFigures::ns)
                .containsExactly(
                        tuple("thread worker", LedgerClass.CPU_PREPROCESSING, "PIL/Image.py:9 open", us(30)),
                        tuple("thread worker", LedgerClass.CPU_PYTHON, "feed.py:3 read", us(20)));
    }

    /**
     * A queue that lives in a process of its own: its threads wait inside that process while another one accepts clients,
     * and would be idle if the main thread did not wait for what they pass on.
     */
    @ParameterizedTest
    @CsvSource({"worker, CPU_PREPROCESSING", "nobody, WAIT_UNKNOWN"})
    void aThreadThatAnotherWaitsForIsNotIdle(String gives, LedgerClass expected) {
        TimelineFixture fixture = main(0, 50)
                .state("door@20", 0, 100, 0, 0, WaitReason.SOCKET)
                .waiting(WaitDetail.FOR_CONNECTION)
                .state("queue@20", 0, 50, 0, 0, WaitReason.FUTEX)
                .state("worker@30", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker@30", 0, 100, "PIL/Image.py(9): open")
                .handedOver("queue@20", "main", 0, 50);
        if (gives.equals("worker")) {
            fixture.handedOver("worker@30", "queue@20", 0, 50);
        }
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(expected)).isEqualTo(us(50));
        assertThat(ledger.ns(LedgerClass.WAIT_IDLE)).isZero();
    }

    /**
     * A server sleeps while it answers. One state covers the answer and the wait for the next request, and has the reason
     * of the latter; the hand-overs tell them apart. Until the request has arrived, each waits for the other.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerThatAnswersItsClientDoesNotWaitForClients(boolean requests) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int us = 0; us < 4000; us += 10) {
            fixture.sample("main", us, us + 10, us % 200 < 60 ? "/app/ask.py(3): ask" : "/app/ask.py(9): compute");
            fixture.sample("20@20", us, us + 10, "/app/served.py(9): answer");
        }
        for (int us = 0; us < 4000; us += 200) {
            fixture.scope("main", us, us + 200, "step")
                    .state("main", us, us + 60, 0, 0, WaitReason.SOCKET)
                    .state("main", us + 60, us + 200, 140, 0, WaitReason.UNKNOWN)
                    .state("20@20", us, us + 10, 0, 0, WaitReason.SOCKET)
                    .waiting(WaitDetail.FOR_CONNECTION)
                    .state("20@20", us + 10, us + 100, 0, 0, WaitReason.SOCKET)
                    .waiting(WaitDetail.FOR_CONNECTION)
                    .state("20@20", us + 100, us + 200, 0, 0, WaitReason.TIMER)
                    .handedOver("main", "20@20", us, us + 10, HandOver.SOCKET)
                    .handedOver("20@20", "main", us, us + 60, HandOver.SOCKET)
                    .handedOver("main", "20@20", us + 62, us + 100, HandOver.SOCKET);
            if (requests) {
                fixture.request("20", us + 10, us + 70, "POST /");
            }
        }
        Report report = analyze(fixture);
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.WAIT_TIMER)).isEqualTo(us(20 * 50));
        assertThat(ledger.ns(LedgerClass.WAIT_SOCKET)).isEqualTo(us(20 * 10));
        assertThat(ledger.ns(LedgerClass.WAIT_IDLE)).isZero();
        assertThat(report.findings())
                .filteredOn(finding -> finding.rule().equals("sleeping"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.claim()).contains("for a thread that sleeps meanwhile"))
                .satisfies(finding ->
                        assertThat(finding.places()).startsWith("/app/ask.py:3 ask", "/app/served.py:9 answer"));
    }

    /** It is on a CPU or ready for one until the item is given; afterwards, it lacks one for itself. */
    @Test
    void aTakerThatPollsWaits() {
        Report report = analyze(TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, 50, 30, 20, WaitReason.UNKNOWN)
                .state("main", 50, 60, 0, 10, WaitReason.UNKNOWN)
                .state("main", 60, 100, 40, 0, WaitReason.UNKNOWN)
                .sample("main", 0, 50, "shm_broadcast.py(208): wait")
                .sample("main", 50, 100, "serve.py(3): answer")
                .state("worker", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 100, "PIL/Image.py(9): open")
                .polled("worker", "main", 0, 50));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_PREPROCESSING)).isEqualTo(us(50));
        assertThat(ledger.ns(LedgerClass.WAIT_RUN_QUEUE)).isEqualTo(us(10));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(40));
    }

    /** A worker's helper thread passes a batch on, and cannot run because another thread of the worker has the GIL. */
    @Test
    void whoHeldTheGilMeanwhileIsNamedAlsoForAnAwaitedThread() {
        Report report = analyze(main(0, 60)
                .state("11", 0, 50, 0, 0, WaitReason.GIL)
                .heldBy(12)
                .sample("11", 0, 50, "socket.py(294): accept")
                .sample("12", 0, 20, "feed.py(3): read")
                .sample("12", 20, 50, "feed.py(8): rows")
                .handedOver("11", "main", 0, 50));

        assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_GIL)).isEqualTo(us(50));
        assertThat(report.rows(HostTables.WAITED_FOR))
                .filteredOn(holder -> holder.cause() == LedgerClass.WAIT_GIL)
                .extracting(HolderFigures::thread, HolderFigures::where, HolderFigures::ns, HolderFigures::known)
                .containsExactly(
                        tuple("thread 12", "feed.py:8 rows", us(30), HolderEvidence.RECORDED),
                        tuple("thread 12", "feed.py:3 read", us(20), HolderEvidence.RECORDED));
    }

    /**
     * A device waits for its first kernel, which a thread launches that did not exist for most of that time, and runs
     * nothing after the thread has ended.
     *
     * <pre>
     *   main    [ load ..................... ][ save ... ]
     *   server             [ accept ][ rest       ]
     *   thread                       [launch ]
     *   device                            [k]
     * </pre>
     */
    @ParameterizedTest
    @CsvSource({"true, 300, 200", "false, 0, 500"})
    void beforeAThreadWasStartedItsStarterCounts(boolean startIsRecorded, double serverUs, double mainUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("10")
                .state("10", 0, 1_000, 1_000, 0, WaitReason.UNKNOWN)
                .scope("10", 0, 700, "load weights")
                .scope("10", 700, 1_000, "save")
                .state("11", 200, 800, 600, 0, WaitReason.UNKNOWN)
                .scope("11", 200, 500, "accept")
                .state("12", 500, 600, 100, 0, WaitReason.UNKNOWN)
                .scope("12", 500, 600, "launch")
                .kernel("7", 590, 600, "gemm")
                .launchedBy("12", 580, 585);
        if (startIsRecorded) {
            fixture.handedOver("11", "12", 500, 501, HandOver.START);
        }
        ThreadTimes times = new ThreadTimes(fixture);

        assertThat(times.ns("11", 0, 500)).isEqualTo(us(serverUs));
        assertThat(times.ns("10", 0, 500)).isEqualTo(us(mainUs));
        assertThat(times.ns("12", 500, 600)).isEqualTo(us(100));
        assertThat(times.ns("10", 600, 1_000)).isEqualTo(us(400));
    }

    /** Whose time the time of thread 12 is. */
    private static final class ThreadTimes {
        private final Timeline timeline;
        private final Threads threads;

        ThreadTimes(TimelineFixture fixture) {
            timeline = fixture.build();
            threads = new Threads(timeline, new ActivityClassifier(timeline, true));
        }

        long ns(String thread, double fromUs, double toUs) {
            long[] ns = {0};
            threads.explain(
                    track("12"),
                    us(fromUs),
                    us(toUs),
                    piece -> ns[0] += piece.thread() == track(thread) ? piece.ns() : 0);
            return ns[0];
        }

        private int track(String thread) {
            return timeline.tracks().stream()
                    .filter(track -> track.key().equals(thread) && track.kind() == TrackKind.THREAD)
                    .findFirst()
                    .orElseThrow()
                    .id();
        }
    }

    /** Of a thread without states its hand-overs alone tell when it waited: not while it did what it began meanwhile. */
    @Test
    void whatAThreadBeginsInsideAWaitIsItsOwn() {
        Report report = analyze(TimelineFixture.blank()
                .scope("main", 0, 100, "generate")
                .scope("main", 10, 90, "tokenize")
                .scope("worker", 0, 100, "decode_image")
                .handedOver("worker", "main", 5, 95));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(80));
        assertThat(ledger.ns(LedgerClass.CPU_PREPROCESSING)).isEqualTo(us(10));
    }

    @Test
    void blameGoesOnToWhomTheGiverWaitedFor() {
        Report report = analyze(main(0, 60)
                .state("feeder", 0, 60, 0, 0, WaitReason.FUTEX)
                .state("worker", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 100, "tiktoken/core.py(9): encode")
                .handedOver("feeder", "main", 0, 60)
                .handedOver("worker", "feeder", 0, 60));

        assertThat(report.ledgers().get(0).ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(60));
    }

    @Test
    void threadsThatWaitForEachOtherAreNotFollowedForEver() {
        Report report = analyze(main(0, 60)
                .state("other", 0, 60, 0, 0, WaitReason.FUTEX)
                .handedOver("other", "main", 0, 60)
                .handedOver("main", "other", 0, 60));

        assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(us(60));
    }

    /** Data of a socket or a pipe come when their giver has slept enough; what it does about a lock is another matter. */
    @Test
    void aGiverThatOnlyWaitsExplainsAWaitForItsData() {
        for (WaitReason reason : new WaitReason[] {WaitReason.SOCKET, WaitReason.PIPE, WaitReason.PAGE_FAULT}) {
            Report report = analyze(TimelineFixture.blank()
                    .scope("main", 0, 100, "step")
                    .state("main", 0, 60, 0, 0, reason)
                    .state("main", 60, 100, 40, 0, WaitReason.UNKNOWN)
                    .state("other", 0, 60, 0, 0, WaitReason.TIMER)
                    .handedOver("other", "main", 0, 60));
            LedgerClass expected =
                    reason == WaitReason.PAGE_FAULT ? LedgerClass.WAIT_PAGE_FAULT : LedgerClass.WAIT_TIMER;

            assertThat(report.ledgers().get(0).ns(expected)).isEqualTo(us(60));
        }
    }

    /** Of 60 us the thread ran 20 somewhere: a third of what the worker did is not what it waited for. */
    @Test
    void aWaitOfPartOfAStretchTakesThatPartOfTheGiversTime() {
        Report report = analyze(TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, 60, 20, 0, WaitReason.FUTEX)
                .state("main", 60, 100, 40, 0, WaitReason.UNKNOWN)
                .state("worker", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 30, "tiktoken/core.py(3): encode")
                .sample("worker", 30, 100, "PIL/Image.py(9): open")
                .handedOver("worker", "main", 0, 60));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(20));
        assertThat(ledger.ns(LedgerClass.CPU_PREPROCESSING)).isEqualTo(us(20));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(60));
    }

    /** Neither time is a multiple of what a state row counts over, so that most rows hold some of both. */
    @Test
    void waitsShorterThanAStateRowLoseNothingToTheWorkBesideThem() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 80_000, "step")
                .state("worker", 0, 80_000, 80_000, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 80_000, "PIL/Image.py(9): open");
        for (int fromUs = 0; fromUs < 80_000; fromUs += 16_000) {
            fixture.handedOver("worker", "main", fromUs, fromUs + 8_000);
        }
        for (int rowUs = 0; rowUs < 80_000; rowUs += 10_000) {
            int onCpuUs = 0;
            for (int atUs = rowUs; atUs < rowUs + 10_000; atUs += 1_000) {
                onCpuUs += atUs % 16_000 >= 8_000 ? 1_000 : 0;
            }
            fixture.state("main", rowUs, rowUs + 10_000, onCpuUs, 0, WaitReason.FUTEX);
        }
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_PREPROCESSING)).isEqualTo(us(40_000));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(40_000));
    }

    @Test
    void aLockNamesTheThreadThatIsAtWorkMeanwhileAndItsLine() {
        TimelineFixture fixture = main(0, 60)
                .sample("main", 0, 100, "serve.py(7): look_up")
                .state("other", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("other", 0, 100, "serve.py(20): rebuild");
        Report report = analyze(fixture);

        assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_LOCK)).isEqualTo(us(60));
        assertThat(report.rows(HostTables.WAITED_FOR))
                .containsExactly(new HolderFigures(
                        LedgerClass.WAIT_LOCK,
                        "thread other",
                        "serve.py:20 rebuild",
                        us(60),
                        HolderEvidence.AT_WORK_MEANWHILE));
    }

    @Test
    void aFutexInsideTheModelOrInALibraryThatWaitsIsNoLock() {
        for (String innermost : new String[] {"torch/nn/modules/linear.py(134): forward", "threading.py(320): wait"}) {
            Report report = analyze(main(0, 60)
                    .sample("main", 0, 100, "serve.py(7): step", innermost)
                    .state("other", 0, 100, 100, 0, WaitReason.UNKNOWN)
                    .sample("other", 0, 100, "serve.py(20): rebuild"));

            assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(us(60));
        }
    }

    /** Of the pool's 60 us ready in the 30 of the wait, 20 were on a CPU; after 70 it did nothing that could explain a wait. */
    @Test
    void aWaitInsideAnOperatorIsWhatThePoolOfNativeThreadsDidMeanwhile() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .sample("main", 0, 100, "torch/nn/modules/linear.py(134): forward")
                .state("main", 0, 40, 40, 0, WaitReason.UNKNOWN)
                .state("main", 40, 70, 0, 0, WaitReason.FUTEX)
                .state("main", 70, 90, 0, 0, WaitReason.FUTEX)
                .state("main", 90, 100, 0, 0, WaitReason.PIPE)
                .state("pool 1", 40, 70, 10, 20, WaitReason.UNKNOWN)
                .state("pool 2", 40, 70, 10, 20, WaitReason.UNKNOWN)
                .state("pool 2", 70, 100, 5, 0, WaitReason.FUTEX)
                .state("python", 40, 70, 30, 0, WaitReason.UNKNOWN)
                .sample("python", 40, 70, "serve.py(20): rebuild");
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(us(40 + 10) + pooledNs(5, 20, 30));
        assertThat(ledger.ns(LedgerClass.WAIT_RUN_QUEUE)).isEqualTo(us(20));
        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN))
                .as("more than the pool was ready for")
                .isEqualTo(us(20 + 10) - pooledNs(5, 20, 30));
    }

    /** Unless another thread of the program runs, for which an import may wait. */
    @ParameterizedTest
    @CsvSource({"false, 80, 20, 0", "true, 50, 0, 50"})
    void aWaitInsideACompilerIsWhatItsNativeThreadsDidMeanwhile(
            boolean otherRuns, double compilesUs, double queuedUs, double unknownUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .sample(
                        "main",
                        0,
                        100,
                        "serve.py(13): handle",
                        "/x/site-packages/jax/_src/compiler.py(350): backend_compile_and_load")
                .state("main", 0, 50, 50, 0, WaitReason.UNKNOWN)
                .state("main", 50, 100, 0, 0, WaitReason.FUTEX)
                .state("compiler", 50, 100, 30, 20, WaitReason.UNKNOWN);
        if (otherRuns) {
            fixture.state("python", 50, 100, 10, 0, WaitReason.FUTEX).sample("python", 50, 100, "serve.py(20): log");
        }
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.FRAMEWORK_COMPILE_LOAD)).isEqualTo(us(compilesUs));
        assertThat(ledger.ns(LedgerClass.WAIT_RUN_QUEUE)).isEqualTo(us(queuedUs));
        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(us(unknownUs));
    }

    /** The pool's time spreads evenly over what it was counted in. */
    private static long pooledNs(double countedUs, long waitUs, long rowUs) {
        return us(countedUs) * waitUs / rowUs;
    }

    /** Of the second stretch a sample saw only the model, in which nobody waits for a lock of Python; what the futex is, the first one tells. */
    @Test
    void aLockIsALockAlsoWhereTheSampleSawWhatTheThreadRanBesides() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "step");
        for (int futex : new int[] {7, 8}) {
            int fromUs = futex == 7 ? 0 : 80;
            fixture.state("main", fromUs, fromUs + 20, 10, 0, WaitReason.FUTEX);
            fixture.builder().attribute(fixture.lastRow(), Attribute.FUTEX, futex);
        }
        fixture.state("main", 20, 80, 0, 0, WaitReason.FUTEX);
        fixture.builder().attribute(fixture.lastRow(), Attribute.FUTEX, 7);
        Report report = analyze(fixture.sample("main", 0, 20, "torch/nn/modules/linear.py(134): forward")
                .sample("main", 20, 80, "serve.py(7): look_up")
                .sample("main", 80, 100, "torch/nn/modules/linear.py(134): forward")
                .state("other", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .sample("other", 0, 100, "serve.py(20): rebuild"));

        assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_LOCK)).isEqualTo(us(60 + 10));
        assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_UNKNOWN))
                .as("at a futex of which nothing is known")
                .isEqualTo(us(10));
    }

    @Test
    void aSampleInTheQueueForTheGilMakesABlockedFutexAWaitForIt() {
        TimelineFixture fixture = main(0, 60).sample("main", 0, 60, "serve.py(7): step");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.WAITS);
        fixture.state("hog", 0, 100, 100, 0, WaitReason.UNKNOWN).sample("hog", 0, 100, "serve.py(20): count");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.HOLDS);
        Report report = analyze(fixture);

        assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_GIL)).isEqualTo(us(60));
        assertThat(report.rows(HostTables.WAITED_FOR))
                .extracting(HolderFigures::cause, HolderFigures::thread, HolderFigures::where)
                .containsExactly(tuple(LedgerClass.WAIT_GIL, "thread hog", "serve.py:20 count"));
    }

    @Test
    void aWaitForAChildProcessIsWhatTheChildDid() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, 60, 0, 0, WaitReason.CHILD_PROCESS)
                .state("main", 60, 100, 40, 0, WaitReason.UNKNOWN);
        io.inferscope.timeline.TimelineBuilder builder = fixture.builder();
        int parent = builder.track(io.inferscope.timeline.TrackKind.PROCESS, -1, "1");
        int child = builder.track(io.inferscope.timeline.TrackKind.PROCESS, -1, "2");
        int thread = builder.track(io.inferscope.timeline.TrackKind.THREAD, child, "2");
        builder.row(RowKind.PROCESS, parent, 0, us(100), builder.name("main.py"));
        builder.row(RowKind.PROCESS, child, us(10), us(50), builder.name("helper.py"));
        int work = builder.row(RowKind.ANNOTATION, thread, us(10), us(50), builder.name("tokenize"));
        builder.attribute(work, Attribute.SEQUENCE, 1);
        builder.property("process.2.parent", "1");
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(40));
        assertThat(ledger.ns(LedgerClass.WAIT_CHILD_PROCESS)).isEqualTo(us(20));
    }

    /** Without a probe: the other end of a connection, as the host collector names it. */
    @ParameterizedTest
    @CsvSource({"2, 80000", "1, 0", "3, 0", "0, 0"})
    void aWaitForASocketIsWhatTheProcessAtItsOtherEndDoes(int peer, long followedUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 300_000, "step")
                .state("main", 0, 100_000, 0, 0, WaitReason.SOCKET);
        if (peer > 0) {
            fixture.heldBy(peer);
        }
        fixture.state("main", 100_000, 300_000, 200_000, 0, WaitReason.UNKNOWN);
        io.inferscope.timeline.TimelineBuilder builder = fixture.builder();
        int server = builder.track(io.inferscope.timeline.TrackKind.PROCESS, -1, "2");
        int worker = builder.track(io.inferscope.timeline.TrackKind.THREAD, server, "22");
        builder.row(RowKind.PROCESS, server, 0, us(300_000), builder.name("server.py"));
        int state = builder.row(RowKind.THREAD_STATE, worker, 0, us(100_000), builder.name("state"));
        builder.attribute(state, Attribute.ON_CPU_NS, us(80_000));
        builder.attribute(state, Attribute.RUNNABLE_NS, 0);
        builder.attribute(state, Attribute.WAIT_REASON, WaitReason.SOCKET.ordinal());
        int work = builder.row(RowKind.ANNOTATION, worker, 0, us(100_000), builder.name("tokenize"));
        builder.attribute(work, Attribute.SEQUENCE, 1);
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(followedUs));
        assertThat(ledger.ns(LedgerClass.WAIT_SOCKET)).isEqualTo(us(100_000 - followedUs));
    }

    /**
     * Without a probe: the worker of a data loader, which the code that waits shows to be another process; and a pool of
     * processes that is asked again and again whether they are done, with a time limit or by its library.
     */
    @ParameterizedTest
    @CsvSource({
        "PIPE, WAIT_UNKNOWN, /usr/lib/python3.12/multiprocessing/connection.py(395): Connection._recv, 80000",
        "PIPE, WAIT_UNKNOWN, /usr/lib/python3.12/multiprocessing/reduction.py(159): recvfds, 80000",
        "PIPE, WAIT_UNKNOWN, /usr/lib/python3.12/http/client.py(279): HTTPResponse._read_status, 0",
        "TIMER, WAIT_TIMER, /usr/lib/python3.12/multiprocessing/connection.py(947): wait, 80000",
        "TIMER, WAIT_TIMER, /v/lib/python3.12/site-packages/joblib/parallel.py(1762): Parallel._retrieve, 80000",
        "TIMER, WAIT_TIMER, serve.py(12): await_answer, 0"
    })
    void aWaitForProcessesIsWhatTheChildrenDo(WaitReason reason, LedgerClass own, String waitsIn, long followedUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100_000, 0, 0, reason)
                .state("main", 100_000, 300_000, 200_000, 0, WaitReason.UNKNOWN)
                .sample("main", 0, 100_000, "serve.py(9): main", waitsIn)
                .sample("main", 100_000, 300_000, "serve.py(10): main");
        addChildThatEncodes(fixture);
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(followedUs));
        assertThat(ledger.ns(own)).isEqualTo(us(100_000 - followedUs));
    }

    /** A library with threads of its own: the caller sleeps while they work. */
    @Test
    void aCallIntoALibraryWaitsForTheThreadsOfTheLibrary() {
        for (boolean otherRuns : new boolean[] {false, true}) {
            TimelineFixture fixture = TimelineFixture.blank()
                    .state("main", 0, 100_000, 0, 0, WaitReason.FUTEX)
                    .state("main", 100_000, 200_000, 100_000, 0, WaitReason.UNKNOWN)
                    .sample("main", 0, 100_000, "a.py(4): aggregate", "called [_polars_runtime.abi3.so]")
                    .sample("main", 100_000, 200_000, "a.py(8): export")
                    .state("rayon-0", 0, 200_000, 60_000, 0, WaitReason.FUTEX)
                    .state("rayon-1", 0, 200_000, 60_000, 0, WaitReason.FUTEX)
                    .state("filler", 0, 200_000, otherRuns ? 60_000 : 0, 0, WaitReason.FUTEX)
                    .sample("filler", 0, 200_000, "a.py(9): fill");
            Ledger ledger = analyze(fixture).ledgers().get(0);

            assertThat(ledger.ns(LedgerClass.CPU_NATIVE)).isEqualTo(us(otherRuns ? 0 : 60_000));
        }
    }

    /** An executor of processes: the main thread waits for a future, and a thread of the executor for the processes. */
    @ParameterizedTest
    @CsvSource({
        "/usr/lib/python3.12/multiprocessing/connection.py(947): wait, 80000",
        "/usr/lib/python3.12/socketserver.py(9): serve, 0"
    })
    void aWaitForAFutureIsWhatTheProcessesDoThatAHelperWaitsFor(String helperWaitsIn, long followedUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100_000, 0, 0, WaitReason.FUTEX)
                .state("main", 100_000, 300_000, 200_000, 0, WaitReason.UNKNOWN)
                .sample(
                        "main",
                        0,
                        100_000,
                        "serve.py(9): main",
                        "/usr/lib/python3.12/threading.py(355): Condition.wait")
                .sample("main", 100_000, 300_000, "serve.py(10): main")
                .sample("helper", 0, 300_000, helperWaitsIn);
        addChildThatEncodes(fixture);
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(followedUs));
    }

    /** Adds a child process that encodes for 80 of its first 100 ms. */
    /** Without the probe no record says who gives the items of a pool; a thread of another kind does not. */
    @Test
    void aPoolsThreadThatTakesWorkWaitsForTheMainThread() {
        String forward = "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py(1775): Module._call_impl";
        String[] takes = {"/usr/lib/python3.11/concurrent/futures/thread.py(81): _worker"};
        Ledger ledger = analyze(TimelineFixture.blank()
                        .process("10")
                        .state("pool_1", 0, 100, 0, 0, WaitReason.FUTEX)
                        .sample("pool_1", 0, 100, takes)
                        .state("pool_1", 100, 300, 200, 0, WaitReason.UNKNOWN)
                        .sample(
                                "pool_1",
                                100,
                                300,
                                "/app/serve.py(25): decode",
                                forward,
                                "at::native::mm [libtorch_cpu.so]")
                        .state("10", 0, 100, 60, 10, WaitReason.SOCKET)
                        .sample("10", 0, 100, "/app/serve.py(13): join")
                        .state("hog", 0, 100, 100, 0, WaitReason.UNKNOWN)
                        .sample("hog", 0, 100, "/app/hog.py(3): spin"))
                .ledgers()
                .get(0);

        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(60));
        assertThat(ledger.ns(LedgerClass.WAIT_RUN_QUEUE)).isEqualTo(us(10));
        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(us(30));
    }

    private static void addChildThatEncodes(TimelineFixture fixture) {
        io.inferscope.timeline.TimelineBuilder builder = fixture.builder();
        int parent = builder.track(io.inferscope.timeline.TrackKind.PROCESS, -1, "1");
        int child = builder.track(io.inferscope.timeline.TrackKind.PROCESS, -1, "2");
        int worker = builder.track(io.inferscope.timeline.TrackKind.THREAD, child, "2");
        builder.row(RowKind.PROCESS, parent, 0, us(300_000), builder.name("serve.py"));
        builder.row(RowKind.PROCESS, child, 0, us(300_000), builder.name("serve.py"));
        int state = builder.row(RowKind.THREAD_STATE, worker, 0, us(100_000), builder.name("state"));
        builder.attribute(state, Attribute.ON_CPU_NS, us(80_000));
        builder.attribute(state, Attribute.RUNNABLE_NS, 0);
        int sample = builder.row(RowKind.STACK_SAMPLE, worker, 0, us(100_000), builder.name("tiktoken"));
        builder.attribute(sample, Attribute.STACK, builder.stack(-1, builder.name("tiktoken/core.py(9): encode")));
        builder.property("process.2.parent", "1");
    }

    /** The judged thread: blocked on a futex in part of its scope, running after that. */
    private static TimelineFixture main(double fromUs, double untilUs) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", fromUs, untilUs, 0, 0, WaitReason.FUTEX)
                .state("main", untilUs, 100, 100 - untilUs, 0, WaitReason.UNKNOWN);
    }

    private static Report analyze(TimelineFixture fixture) {
        return new Analyzer().analyze(fixture.build(), "following");
    }
}
