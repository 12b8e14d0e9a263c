package io.inferscope.analyzer.analysis;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.HolderFigures;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that answers several requests at once is judged by all threads that serve them, while they do. */
class ServiceTest {
    private static final String RUN = "/usr/lib/python3.11/asyncio/events.py(84): Handle._run";
    private static final String SELECT = "/usr/lib/python3.11/selectors.py(468): EpollSelector.select";

    /**
     * After 400 us of start-up an event loop, 10, gives six requests to two workers, 11 and 12, each for 100 us. The loop runs tasks in 60 of the
     * 300 us.
     */
    private static TimelineFixture service() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("10", 0, 1, "serve")
                .state("10", 0, 400, 400, 0, WaitReason.UNKNOWN)
                .sample("10", 0, 400, "app.py(1): <module>")
                .state("10", 400, 460, 60, 0, WaitReason.UNKNOWN)
                .state("10", 460, 700, 0, 0, WaitReason.SOCKET)
                .sample("10", 400, 460, "app.py(9): main", RUN, "app.py(3): handle")
                .sample("10", 460, 700, "app.py(9): main", SELECT);
        for (String worker : new String[] {"11", "12"}) {
            fixture.state(worker, 400, 700, 200, 100, WaitReason.UNKNOWN).sample(worker, 400, 700, "app.py(5): embed");
            for (int i = 0; i < 3; i++) {
                double atUs = 400 + 100 * i;
                request(fixture, atUs, atUs + 100);
                item(fixture, worker, atUs);
            }
            item(fixture, worker, 699.9);
        }
        return fixture;
    }

    private static void request(TimelineFixture fixture, double startUs, double endUs) {
        fixture.host(RowKind.REQUEST, "10", startUs, endUs, "POST /embed");
        fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, 10);
    }

    private static void item(TimelineFixture fixture, String worker, double atUs) {
        fixture.host(RowKind.HAND_OVER, "10", atUs, atUs, "gives queue Queue");
        int gives = fixture.lastRow();
        fixture.builder().attribute(gives, Attribute.HAND_OVER, HandOver.QUEUE.ordinal());
        fixture.host(RowKind.HAND_OVER, worker, atUs, atUs, "takes queue Queue");
        fixture.builder().attribute(fixture.lastRow(), Attribute.HAND_OVER, HandOver.QUEUE.ordinal());
        fixture.builder().attribute(fixture.lastRow(), Attribute.TAKES, 1);
        fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);
    }

    @Test
    void isJudgedByTheTimeOfTheThreadsThatServe() {
        Report report = new Analyzer().analyze(service().build(), "service");
        Ledger ledger = report.ledgers().get(0);

        assertThat(report.judged().what()).isEqualTo(LedgerPart.REQUESTS);
        assertThat(ledger.subject()).startsWith("3 threads of process");
        assertThat(report.judged().stretch().startNs()).isEqualTo(us(400));
        assertThat(ledger.ns(LedgerClass.WAIT_SOCKET)).isZero();
        assertThat(ledger.ns(LedgerClass.WAIT_RUN_QUEUE)).isBetween(us(199), us(200));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isBetween(us(459), us(460));
        assertThat(report.rows(HostTables.HOST_TIME))
                .extracting(PlaceFigures::where, PlaceFigures::cause, PlaceFigures::followed)
                .contains(
                        tuple("app.py:5 embed", LedgerClass.CPU_PYTHON, false),
                        tuple("app.py:3 handle", LedgerClass.CPU_PYTHON, false));
    }

    /** The loop sleeps in a task for 1000 of the requests' 1300 us: what came before them is no part of the share. */
    @Test
    void aTaskThatBlocksItsLoopIsMeasuredByTheRequestsTime() {
        TimelineFixture fixture = service();
        fixture.state("10", 700, 1700, 0, 0, WaitReason.TIMER)
                .sample("10", 700, 1700, "app.py(9): main", RUN, "app.py(4): audit");
        request(fixture, 500, 1700);
        request(fixture, 600, 1700);

        Finding first =
                new Analyzer().analyze(fixture.build(), "service").findings().get(0);

        assertThat(first.rule()).isEqualTo("blocked-event-loop");
        assertThat(first.costNs()).isEqualTo(us(1000));
        assertThat(first.claim()).contains("of the requests' time");
    }

    /** As in a server with a thread for each request, and one client that asks again when it has its answer. */
    @Test
    void requestsThatDoNotOverlapAreJudgedTogetherIfNoThreadServesMostOfThem() {
        Report report = new Analyzer().analyze(oneByOne("21", "22", "23", "24", "25", "26"), "threads");
        Report one = new Analyzer().analyze(oneByOne("21", "21", "21", "21", "22", "23"), "one thread");

        assertThat(report.judged().what()).isEqualTo(LedgerPart.REQUESTS);
        assertThat(report.ledgers().get(0).subject()).startsWith("6 threads of process");
        assertThat(report.ledgers().get(0).ns(LedgerClass.CPU_PYTHON)).isBetween(us(299), us(300));
        assertThat(report.diagnosis()).noneMatch(line -> line.contains("Each step"));
        assertThat(one.judged().what()).isNotEqualTo(LedgerPart.REQUESTS);
    }

    private static Timeline oneByOne(String... threads) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("10", 0, 700, 0, 0, WaitReason.SOCKET)
                .sample("10", 0, 700, "app.py(9): main", SELECT);
        double atUs = 10;
        for (String thread : threads) {
            fixture.state(thread, atUs, atUs + 50, 50, 0, WaitReason.UNKNOWN)
                    .sample(thread, atUs, atUs + 50, "app.py(3): handle")
                    .host(RowKind.REQUEST, "10", atUs, atUs + 50, "POST /embed");
            fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, Long.parseLong(thread));
            atUs += 100;
        }
        return fixture.build();
    }

    /** No thread of it is a worker for whom another waits, no chain ends its window, and no replay knows how its requests would overlap. */
    @Test
    void nobodyIsSaidToWaitForItsWorkers() {
        assertThat(new Analyzer().analyze(service().build(), "service").findings())
                .allSatisfy(finding -> assertThat(finding.gain()).isNull())
                .extracting(Finding::rule)
                .contains("cpu-contention")
                .doesNotContain("waiting-for-worker", "critical-path");
    }

    @Test
    void requestsOneByOneAreJudgedByTheirThread() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("10", 0, 600, "serve")
                .state("10", 0, 600, 600, 0, WaitReason.UNKNOWN)
                .sample("10", 0, 600, "app.py(3): handle");
        for (int i = 0; i < 6; i++) {
            request(fixture, 100 * i, 100 * i + 100);
        }

        assertThat(new Analyzer().analyze(fixture.build(), "one").judged().what())
                .isEqualTo(LedgerPart.WINDOW);
    }

    /** 8 requests of a thread each, two at a time: what a thread waits for while it serves is the request's. */
    @Test
    void aThreadOfItsOwnServesFromArrivalToAnswer() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (String thread : new String[] {"21", "22"}) {
            fixture.state(thread, 0, 400, 100, 0, WaitReason.SOCKET).sample(thread, 0, 400, "app.py(3): ask");
            for (int i = 0; i < 4; i++) {
                fixture.host(RowKind.REQUEST, thread, 100 * i, 100 * i + 90, "GET /");
                fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, Integer.parseInt(thread));
            }
        }
        Ledger ledger =
                new Analyzer().analyze(fixture.build(), "threads").ledgers().get(0);

        assertThat(ledger.part()).isEqualTo(LedgerPart.REQUESTS);
        assertThat(ledger.durationNs()).isEqualTo(us(720));
        assertThat(ledger.ns(LedgerClass.WAIT_SOCKET)).isEqualTo(us(540));
    }

    /** A thread accepts a connection and answers it: of a state with both, the blocked time lies between the requests. */
    @ParameterizedTest
    @CsvSource({"60, 60, 40", "60, 90, 0"})
    void aThreadThatAnswersItselfHasNothingToDoBetweenRequests(double worksUs, double openUs, double idleUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("10", 0, 100, "serve")
                .state("10", 0, 100, worksUs, 0, WaitReason.SOCKET)
                .waiting(WaitDetail.FOR_CONNECTION);
        fixture.request("1", 0, openUs, "GET /");
        Ledger ledger =
                new Analyzer().analyze(fixture.build(), "answers").ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.WAIT_IDLE)).isEqualTo(us(idleUs));
    }

    /** Thread 10 waits for connections and, 60 us after one came, has started a thread for it: it was runnable meanwhile. */
    @Test
    void theThreadThatAcceptsDoesNotWaitForARequestThatHasCome() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("10", 0, 700, 20, 380, WaitReason.SOCKET)
                .sample("10", 0, 700, "app.py(9): main", SELECT);
        for (int i = 0; i < 6; i++) {
            String thread = Integer.toString(21 + i);
            double atUs = 10 + 100 * i;
            fixture.host(RowKind.HAND_OVER, "10", atUs + 60, atUs + 60, "gives start Thread.start");
            int gives = fixture.lastRow();
            fixture.builder().attribute(gives, Attribute.HAND_OVER, HandOver.START.ordinal());
            fixture.host(RowKind.HAND_OVER, thread, atUs + 60, atUs + 60, "takes start Thread.start");
            fixture.builder().attribute(fixture.lastRow(), Attribute.HAND_OVER, HandOver.START.ordinal());
            fixture.builder().attribute(fixture.lastRow(), Attribute.TAKES, 1);
            fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);
            fixture.state(thread, atUs + 60, atUs + 90, 30, 0, WaitReason.UNKNOWN)
                    .sample(thread, atUs + 60, atUs + 90, "app.py(3): handle")
                    .host(RowKind.REQUEST, "10", atUs, atUs + 90, "GET /");
            fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, 21 + i);
        }
        Ledger ledger =
                new Analyzer().analyze(fixture.build(), "accepts").ledgers().get(0);

        assertThat(ledger.durationNs()).isEqualTo(us(540));
        assertThat(ledger.ns(LedgerClass.WAIT_SOCKET)).isZero();
        assertThat(ledger.ns(LedgerClass.WAIT_IDLE)).isZero();
        assertThat(ledger.ns(LedgerClass.WAIT_RUN_QUEUE)).isGreaterThan(us(300));
    }

    /** A thread waits for another that serves, too, but not then: nothing else counts what it does. */
    @Test
    void workOfAThreadThatServesAtOtherTimesOnlyCounts() {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("10")
                .state("21", 0, 80, 0, 0, WaitReason.FUTEX)
                .sample("21", 0, 80, "app.py(4): ask", "/usr/lib/python3.11/threading.py(320): Condition.wait")
                .state("21", 80, 400, 320, 0, WaitReason.UNKNOWN)
                .sample("21", 80, 400, "app.py(3): ask")
                .state("22", 0, 400, 400, 0, WaitReason.UNKNOWN)
                .sample("22", 0, 100, "app.py(7): fill")
                .sample("22", 100, 400, "app.py(3): ask")
                .state("23", 0, 400, 400, 0, WaitReason.UNKNOWN)
                .sample("23", 0, 400, "app.py(3): ask");
        fixture.host(RowKind.HAND_OVER, "22", 80, 80, "gives event Event");
        int gives = fixture.lastRow();
        fixture.builder().attribute(gives, Attribute.HAND_OVER, HandOver.EVENT.ordinal());
        fixture.host(RowKind.HAND_OVER, "21", 0, 80, "takes event Event");
        fixture.builder().attribute(fixture.lastRow(), Attribute.HAND_OVER, HandOver.EVENT.ordinal());
        fixture.builder().attribute(fixture.lastRow(), Attribute.TAKES, 1);
        fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);
        for (String thread : new String[] {"21", "22", "23"}) {
            for (int i = thread.equals("22") ? 1 : 0; i < 4; i++) {
                fixture.host(RowKind.REQUEST, thread, 100 * i, 100 * i + 90, "GET /");
                fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, Integer.parseInt(thread));
            }
        }
        Report report = new Analyzer().analyze(fixture.build(), "threads");

        assertThat(report.ledgers().get(0).durationNs()).isEqualTo(us(11 * 90));
        assertThat(report.rows(HostTables.HOST_TIME))
                .extracting(PlaceFigures::where, PlaceFigures::ns, PlaceFigures::followed)
                .contains(tuple("app.py:7 fill", us(80), false));
    }

    /**
     * Eight requests of a thread each, which arrive at once and pass through a lock one by one: the threads that waited
     * name the line of those that had it, all of them together.
     */
    @Test
    void whatTheHolderOfALockRanIsNamedForAllRequestsTogether() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 8; i++) {
            String thread = Integer.toString(21 + i);
            double hasUs = 100 * i;
            fixture.host(RowKind.REQUEST, thread, 0, hasUs + 100, "GET /");
            fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, 21 + i);
            fixture.builder().trackName(fixture.builder().trackAt(fixture.lastRow()), "Thread-" + i + " (handle)");
            for (int before = 0; before < i; before++) {
                fixture.state(thread, 100 * before, 100 * before + 100, 0, 0, WaitReason.LOCK)
                        .heldBy(21 + before)
                        .sample(thread, 100 * before, 100 * before + 100, "app.py(3): handle");
            }
            fixture.state(thread, hasUs, hasUs + 100, 60, 40, WaitReason.UNKNOWN)
                    .sample(thread, hasUs, hasUs + 100, "app.py(4): embed");
        }
        Report report = new Analyzer().analyze(fixture.build(), "threads");

        assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_LOCK)).isEqualTo(us(2800));
        assertThat(report.rows(HostTables.WAITED_FOR))
                .filteredOn(holder -> holder.cause() == LedgerClass.WAIT_LOCK)
                .extracting(HolderFigures::thread, HolderFigures::where, HolderFigures::ns)
                .containsExactly(tuple("7 threads such as thread 21 (Thread-0 (handle))", "app.py:4 embed", us(2800)));
        assertThat(report.suggestions()).anyMatch(advice -> advice.contains("answer several requests in one batch"));
    }

    /**
     * Each request has a thread of its own, for 60 us, of which 20 us are on a CPU; half of them start while another one's
     * runs. Of each {@code each} threads one was sampled.
     */
    private static Ledger threadPerRequest(int each) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 60; i++) {
            String thread = Integer.toString(100 + i);
            double atUs = 100 + 60 * (i / 2);
            fixture.host(RowKind.REQUEST, thread, atUs, atUs + 60, "GET /");
            fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, 100 + i);
            if (i % each == 0) {
                fixture.state(thread, atUs, atUs + 60, 20, 40, WaitReason.UNKNOWN)
                        .sample(thread, atUs, atUs + 60, "app.py(3): handle");
            }
        }
        return new Analyzer().analyze(fixture.build(), "service").ledgers().get(0);
    }

    @Test
    void sampledThreadsStandForThoseThatLivedTooBriefly() {
        Ledger some = threadPerRequest(3);
        Ledger few = threadPerRequest(4);

        assertThat(some.durationNs()).isEqualTo(us(3600));
        assertThat(some.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(1200));
        assertThat(some.ns(LedgerClass.WAIT_RUN_QUEUE)).isEqualTo(us(2400));
        assertThat(few.durationNs()).isEqualTo(us(3600));
        assertThat(few.ns(LedgerClass.CPU_PYTHON)).as("fewer than 20").isEqualTo(us(300));
        assertThat(few.ns(LedgerClass.UNATTRIBUTED)).isEqualTo(us(2700));
    }

    /** Each thread's first half was sampled: of the rest only the counts at its end are known. */
    @Test
    void whatWasSeenOfBriefThreadsStandsForWhatWasBetweenSamples() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 30; i++) {
            String thread = Integer.toString(100 + i);
            double atUs = 100 + 60 * (i / 2);
            fixture.host(RowKind.REQUEST, thread, atUs, atUs + 60, "GET /");
            fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, 100 + i);
            fixture.state(thread, atUs, atUs + 30, 10, 0, WaitReason.LOCK)
                    .sample(thread, atUs, atUs + 30, "app.py(3): handle")
                    .state(thread, atUs + 30, atUs + 60, 5, 0, WaitReason.UNKNOWN);
        }

        Ledger ledger =
                new Analyzer().analyze(fixture.build(), "service").ledgers().get(0);

        assertThat(ledger.durationNs()).isEqualTo(us(1800));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(450));
        assertThat(ledger.ns(LedgerClass.WAIT_LOCK)).isEqualTo(us(1350));
    }

    /** A process starts two workers, like gunicorn, and watches them. Seven requests of 60 us, one each {@code apartUs}. */
    private static TimelineFixture workers(double apartUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("10")
                .scope("10", 0, 1000, "serve")
                .state("10", 0, 1000, 10, 0, WaitReason.UNKNOWN)
                .sample("10", 0, 1000, "/x/site-packages/server/arbiter.py(426): wait");
        for (String pid : new String[] {"11", "12"}) {
            fixture.process(pid)
                    .property("process." + pid + ".parent", "10")
                    .scope(pid, 10, 990, "serve")
                    .state(pid, 10, 990, 300, 0, WaitReason.SOCKET)
                    .sample(pid, 10, 990, "app.py(3): handle");
            fixture.builder().trackName(fixture.builder().track(TrackKind.PROCESS, -1, pid), "worker");
        }
        TimelineBuilder builder = fixture.builder();
        builder.trackName(builder.track(TrackKind.PROCESS, -1, "10"), "serve");
        for (int i = 0; i < 7; i++) {
            int pid = i % 2 == 1 ? 11 : 12;
            int track = builder.track(
                    TrackKind.REQUEST, builder.track(TrackKind.PROCESS, -1, Integer.toString(pid)), "requests " + i);
            long startNs = us(100 + apartUs * i);
            int row = builder.row(RowKind.REQUEST, track, startNs, startNs + us(60), builder.name("GET /"));
            builder.attribute(row, Attribute.OTHER_THREAD, pid);
        }
        return fixture;
    }

    @Test
    void workersOfOneServerAreJudgedTogether() {
        Ledger ledger =
                new Analyzer().analyze(workers(30).build(), "workers").ledgers().get(0);

        assertThat(ledger.subject()).isEqualTo("2 threads of 2 processes of serve");
        assertThat(ledger.durationNs()).isEqualTo(us(420));
    }

    /**
     * A worker works 40 of 60 us in each of its requests, which a sampler with intervals of 300 us cannot tell from its
     * wait for the next one. A sample between them can.
     */
    @Test
    void aWaitSeenBetweenRequestsIsNoPartOfThem() {
        TimelineFixture fixture = TimelineFixture.blank().state("20", 0, 1200, 0, 0, WaitReason.SOCKET);
        for (int i = 0; i < 9; i++) {
            String thread = i % 3 == 0 ? "11" : i % 3 == 1 ? "12" : "13";
            double atUs = 100 * i;
            fixture.host(RowKind.REQUEST, thread, atUs + 10, atUs + 70, "GET /");
            fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, Long.parseLong(thread));
            boolean between = i >= 3;
            fixture.state(thread, atUs, atUs + 300, 40, 0, WaitReason.SOCKET)
                    .sample(thread, atUs, atUs + 300, "app.py(9): main", between ? SELECT : "app.py(3): handle");
            fixture.builder().attribute(fixture.lastRow(), Attribute.LOOKED_NS, us(between ? 200 : 30));
        }
        Ledger ledger =
                new Analyzer().analyze(fixture.build(), "workers").ledgers().get(0);

        assertThat(ledger.durationNs()).isBetween(us(539.9), us(540.1));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).as("%s", ledger).isGreaterThan(us(150));
    }

    /** Neither the process that only watches them nor the worker with fewer requests. */
    @Test
    void workersThatAreAskedOneByOneAreJudgedByTheBusiest() {
        assertThat(new Analyzer()
                        .analyze(workers(100).build(), "workers")
                        .judged()
                        .subject())
                .contains("thread 12");
    }

    /** As Ray's driver, which starts a process that starts the workers; or a script that starts gunicorn. */
    private static TimelineFixture started(TimelineFixture workers) {
        return workers.process("9")
                .property("process.10.parent", "9")
                .scope("9", 0, 1100, "driver.py")
                .state("9", 0, 1100, 600, 0, WaitReason.TIMER)
                .sample("9", 0, 1100, "driver.py(9): main");
    }

    @Test
    void whoStartedTheProcessThatWatchesWorkersIsNotJudged() {
        TimelineFixture fixture =
                started(workers(100)).process("12").host(RowKind.HAND_OVER, "13", 300, 300, "gives queue");
        int gives = fixture.lastRow();
        fixture.host(RowKind.HAND_OVER, "12", 300, 300, "takes queue");
        fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);

        assertThat(judged(fixture)).contains("thread 12");
    }

    /** The process that starts the workers is their client: it waits for their answers. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theClientThatStartedItsServerIsJudged(boolean isStarted) {
        TimelineFixture fixture = isStarted ? started(workers(100)) : workers(100);
        fixture.process("12").host(RowKind.HAND_OVER, "12", 300, 300, "gives socket");
        int gives = fixture.lastRow();
        fixture.process("10").host(RowKind.HAND_OVER, "10", 300, 300, "takes socket");
        fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);

        assertThat(judged(fixture)).contains(isStarted ? "thread 9" : "thread 10");
    }

    /** Its server has a thread for each request; the requests come one after the other, or two at once. */
    @Test
    void theClientThatStartedAServerOfManyThreadsIsJudgedUnlessOthersAskItToo() {
        assertThat(judged(askedOneByOne(50))).contains("thread 10");
        assertThat(judged(askedOneByOne(200))).contains("threads of process 20");
    }

    private static TimelineFixture askedOneByOne(double lastsUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("10")
                .state("10", 0, 700, 600, 0, WaitReason.SOCKET)
                .sample("10", 0, 700, "rank.py(9): main")
                .process("20")
                .property("process.20.parent", "10");
        for (int i = 0; i < 6; i++) {
            String thread = Integer.toString(21 + i);
            double atUs = 10 + 100 * i;
            fixture.state(thread, atUs, atUs + lastsUs, 40, 0, WaitReason.UNKNOWN)
                    .sample(thread, atUs, atUs + lastsUs, "store.py(3): handle")
                    .host(RowKind.REQUEST, "20", atUs, atUs + lastsUs, "GET /");
            fixture.builder().attribute(fixture.lastRow(), Attribute.OTHER_THREAD, 21 + i);
        }
        return fixture;
    }

    /** The main thread of a server, 10, accepts one connection, and thread 11 answers the requests that come by it. */
    private static TimelineFixture acceptor(double mainCpuUs) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("10")
                .scope("10", 0, 1000, "serve.py")
                .state("10", 0, 1000, mainCpuUs, 0, WaitReason.SOCKET)
                .sample(
                        "10",
                        0,
                        1000,
                        "serve.py(9): <module>",
                        "/usr/lib/python3.11/socketserver.py(232): serve_forever")
                .state("11", 100, 990, 500, 0, WaitReason.SOCKET)
                .sample("11", 100, 990, "serve.py(3): answer");
        TimelineBuilder builder = fixture.builder();
        int track = builder.track(TrackKind.REQUEST, builder.track(TrackKind.PROCESS, -1, "10"), "requests 1");
        for (int i = 0; i < 7; i++) {
            int row = builder.row(RowKind.REQUEST, track, us(100 + 100 * i), us(160 + 100 * i), builder.name("GET /"));
            builder.attribute(row, Attribute.OTHER_THREAD, 11);
        }
        gives(fixture, 100);
        return fixture;
    }

    private static void gives(TimelineFixture fixture, double atUs) {
        fixture.host(RowKind.HAND_OVER, "11", atUs, atUs, "gives event Event");
        int gives = fixture.lastRow();
        fixture.host(RowKind.HAND_OVER, "10", atUs, atUs, "takes event Event");
        fixture.builder().link(LinkKind.HAND_OVER, gives, fixture.lastRow(), 100);
    }

    private static String judged(TimelineFixture fixture) {
        return new Analyzer().analyze(fixture.build(), "acceptor").judged().subject();
    }

    /** The thread that is started tells so once. */
    @Test
    void aThreadThatOnlyAcceptsConnectionsIsNotJudged() {
        assertThat(judged(acceptor(10))).contains("thread 11");
    }

    @Test
    void aThreadThatWorksItselfOrTakesTheAnswersIsJudged() {
        TimelineFixture client = acceptor(10);
        gives(client, 300);

        assertThat(judged(client)).contains("thread 10");
        assertThat(judged(acceptor(600))).contains("thread 10");
    }

    /** A main thread that tried the model before it served has not become its user; one that calls it for long has. */
    @ParameterizedTest
    @CsvSource({"10, 11", "100, 10"})
    void aMainThreadThatHardlyCallsTheModelOnlyAccepts(double mainModelUs, String judged) {
        TimelineFixture fixture = acceptor(10)
                .scope("10", 1, 1 + mainModelUs, "forward")
                .activity(RangeActivity.MODEL)
                .scope("11", 100, 600, "forward")
                .activity(RangeActivity.MODEL);

        assertThat(judged(fixture)).contains("thread " + judged);
    }
}
