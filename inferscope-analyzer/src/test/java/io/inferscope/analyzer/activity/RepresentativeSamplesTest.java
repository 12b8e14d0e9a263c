package io.inferscope.analyzer.activity;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a stack sample says of a measured range around its instant. */
class RepresentativeSamplesTest {
    @Test
    void aSampleRefinesAScopeAndGivesItsLine() {
        Report report = analyze(TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .sample("main", 0, 40, "serve.py(7): step", "tiktoken/core.py(9): encode")
                .sample("main", 40, 100, "serve.py(8): step"));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(40));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(60));
        assertThat(ledger.entries()).allMatch(Ledger.Entry::estimated);
        assertThat(report.rows(HostTables.HOST_TIME))
                .extracting(PlaceFigures::where, PlaceFigures::activity, PlaceFigures::ns)
                .containsExactly(
                        tuple("serve.py:8 step", "step", us(60)), tuple("tiktoken/core.py:9 encode", "step", us(40)));
    }

    /** The span of 2 us is known to the nanosecond: the sample of 10 us that was taken in it says nothing of the time around. */
    @Test
    void aSampleTakenInsideASpanSaysNothingOfTheTimeAroundIt() {
        Report report = analyze(TimelineFixture.blank()
                .scope("main", 0, 30, "step")
                .scope("main", 14, 16, "tokenize")
                .sample("main", 0, 10, "serve.py(7): step")
                .sample("main", 10, 20, "serve.py(9): tokenize")
                .sample("main", 20, 30, "serve.py(8): step"));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(2));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(28));
        assertThat(report.rows(HostTables.HOST_TIME))
                .extracting(PlaceFigures::where, PlaceFigures::ns)
                .containsExactlyInAnyOrder(
                        tuple("serve.py:7 step", us(18)),
                        tuple("serve.py:8 step", us(10)),
                        tuple("serve.py:9 tokenize", us(2)));
    }

    /** Native frames are sampled on a CPU: while the thread waits, it is not in the one that ran before. */
    @Test
    void aThreadThatWaitsIsNotInTheNativeFrameThatRan() {
        Report report = analyze(TimelineFixture.blank()
                .sample("main", 0, 50, "serve.py(7): ask", "at::native::add [libtorch_cpu.so]")
                .sample("main", 50, 90, "serve.py(7): ask", "called [_socket.so]")
                .state("main", 0, 90, 10, 0, WaitReason.SOCKET));

        assertThat(report.rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause() == LedgerClass.WAIT_SOCKET)
                .extracting(PlaceFigures::where, PlaceFigures::activity)
                .containsExactlyInAnyOrder(
                        tuple("serve.py:7 ask", "serve.py(7): ask"), tuple("serve.py:7 ask", "called [_socket.so]"));
    }

    @Test
    void aSpecificRangeKeepsItsClassAndGetsTheLine() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "tokenize")
                .sample("main", 0, 100, "serve.py(31): prompt", "json/encoder.py(9): encode");
        Report report = analyze(fixture);

        assertThat(report.ledgers().get(0).ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(100));
        assertThat(report.ledgers().get(0).entries().get(0).estimated()).isFalse();
        assertThat(report.rows(HostTables.HOST_TIME))
                .extracting(PlaceFigures::where)
                .containsExactly("serve.py:31 prompt");
    }

    @Test
    void pythonOfTheFrameworkInsideTheModelIsTheModel() {
        TimelineFixture fixture = TimelineFixture.blank().host(RowKind.ANNOTATION, "main", 0, 100, "forward");
        fixture.builder().attribute(fixture.lastRow(), Attribute.ACTIVITY, RangeActivity.MODEL.ordinal());
        Report report = analyze(fixture.sample(
                        "main", 0, 60, "serve.py(7): step", "transformers/models/llama/modeling_llama.py(9): forward")
                .sample(
                        "main",
                        60,
                        100,
                        "serve.py(7): step",
                        "transformers/generation/utils.py(5): generate",
                        "serve.py(40): stop"));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(us(60));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(40));
    }

    @Test
    void garbageCollectionStaysWhatItIsAndGetsTheLineThatItStopped() {
        Report report = analyze(TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .host(RowKind.GC, "main", 40, 100, "gc")
                .sample("main", 0, 100, "serve.py(7): step"));

        assertThat(report.ledgers().get(0).ns(LedgerClass.WAIT_GC)).isEqualTo(us(60));
        assertThat(report.rows(HostTables.HOST_TIME))
                .extracting(PlaceFigures::cause, PlaceFigures::where)
                .contains(tuple(LedgerClass.WAIT_GC, "serve.py:7 step"));
    }

    /** A tokenizer that nobody hooks runs between two parts of the model. The sample taken in the model reaches into its time. */
    @Test
    void aSampleTakenInARowSaysNothingOfTheTimeBetweenRows() {
        TimelineFixture fixture = models(0, 8, 12, 20);
        fixture.sample("main", 0, 11, "a.py(7): step", "a.py(3): Net.forward");
        looked(fixture, Attribute.LOOKED_NS, 2);
        fixture.sample("main", 11, 20, "a.py(7): step", "tiktoken/core.py(9): encode");
        looked(fixture, Attribute.LOOKED_NS, 0.5);

        assertThat(analyze(fixture).ledgers().get(0).ns(LedgerClass.CPU_TOKENIZATION))
                .isEqualTo(us(4));
    }

    /** What ran beneath was seen between the two parts, the frames above it inside the first. */
    @Test
    void framesReadDuringAnotherActivityAreNotBelieved() {
        TimelineFixture fixture = models(0, 8, 12, 20);
        fixture.sample("main", 0, 11, "a.py(7): step", "tiktoken/core.py(9): encode", "f [x.so]");
        looked(fixture, Attribute.LOOKED_NS, 10);
        looked(fixture, Attribute.FRAMES_READ_NS, 2);
        fixture.sample("main", 11, 20, "a.py(7): step", "a.py(8): other");
        looked(fixture, Attribute.LOOKED_NS, 0.5);
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isZero();
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(4));
    }

    /** Gaps of 4 us and of 100 us alternate. The second long one has the sample of a short one: it is what the first long one is. */
    @Test
    void aPartIsWhatPartsOfItsLengthAre() {
        TimelineFixture fixture = models(0, 10, 14, 24, 124, 134, 138, 148, 248, 258);
        fixture.sample("main", 0, 120, "a.py(7): step", "tiktoken/core.py(9): encode");
        looked(fixture, Attribute.LOOKED_NS, 60);
        fixture.sample("main", 120, 258, "a.py(7): step", "a.py(8): loop");
        looked(fixture, Attribute.LOOKED_NS, 16);

        assertThat(analyze(fixture).ledgers().get(0).ns(LedgerClass.CPU_TOKENIZATION))
                .isEqualTo(us(200));
    }

    /** As at the end of a program, which can be sampled no more: the sample of 20 us shows its own time and as much again. */
    @Test
    void oneSampleAtTheBeginOfALongPartSaysNothingOfItsEnd() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 600, "shutdown");
        fixture.sample("main", 0, 20, "a.py(7): step", "tiktoken/core.py(9): encode");
        looked(fixture, Attribute.LOOKED_NS, 5);
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(40));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(560));
    }

    /** Of ten ranges of 10 us, two hold a sample: what these show is what the others do. One of 90 us is unlike them. */
    @Test
    void shortRangesDoWhatASampleShowsOfOthersLikeThem() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "step");
        }
        fixture.scope("main", 100, 190, "step");
        for (int i = 2; i < 10; i += 5) {
            fixture.sample("main", 10 * i, 10 * i + 10, "a.py(7): step", "tiktoken/core.py(9): encode");
            looked(fixture, Attribute.LOOKED_NS, 5);
        }

        assertThat(analyze(fixture).ledgers().get(0).ns(LedgerClass.CPU_TOKENIZATION))
                .isEqualTo(us(100));
    }

    /** Between its calls of the model, a generation runs code that is none of the model's, such as a processor of logits. */
    @Test
    void whatAGenerationDoesBetweenCallsOfTheModelIsWhatSamplesShowOfOtherGenerations() {
        TimelineFixture fixture = models(IntStream.range(0, 10)
                .flatMap(i -> IntStream.of(20 * i + 6, 20 * i + 14))
                .toArray());
        for (int us = 0; us < 200; us += 20) {
            fixture.scope("main", us, us + 20, "generate");
            fixture.builder().attribute(fixture.lastRow(), Attribute.ACTIVITY, RangeActivity.MODEL.ordinal());
        }
        fixture.sample("main", 40, 60, "a.py(7): main", "a.py(9): lower_logits");
        looked(fixture, Attribute.LOOKED_NS, 3);
        fixture.sample("main", 140, 160, "a.py(7): main", "torch/nn/modules/module.py(1): _call_impl");
        looked(fixture, Attribute.LOOKED_NS, 10);

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.where().equals("a.py:9 lower_logits"))
                .extracting(PlaceFigures::ns)
                .containsExactly(us(120));
    }

    @Test
    void aLongPartWithoutSamplesIsNotWhatAnotherOneBeganWith() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 600, "shutdown").scope("main", 300, 310, "tokenize");
        fixture.sample("main", 0, 20, "a.py(7): step", "json/encoder.py(9): encode");
        looked(fixture, Attribute.LOOKED_NS, 5);

        assertThat(analyze(fixture).ledgers().get(0).ns(LedgerClass.CPU_SERIALIZATION))
                .isEqualTo(us(40));
    }

    @Test
    void oneSampleAtTheEndOfALongPartSaysNothingOfItsBegin() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 600, "start");
        fixture.sample("main", 580, 600, "a.py(7): step", "tiktoken/core.py(9): encode");
        looked(fixture, Attribute.LOOKED_NS, 5);

        assertThat(analyze(fixture).ledgers().get(0).ns(LedgerClass.CPU_TOKENIZATION))
                .isEqualTo(us(40));
    }

    /** Python waits for a process with a time limit by looking every 50 ms, and sleeps in between. */
    @Test
    void sleepingBetweenLooksAtAProcessIsWaitingForIt() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 0, 0, WaitReason.TIMER)
                .sample("main", 0, 100, "a.py(7): stop", "/usr/lib/python3.12/subprocess.py(2047): Popen._wait");

        assertThat(analyze(fixture).ledgers().get(0).ns(LedgerClass.WAIT_CHILD_PROCESS))
                .isEqualTo(us(100));
    }

    @Test
    void slicesSayWhatTheWholeSays() {
        TimelineFixture fixture = models(0, 10, 14, 24, 124, 134, 138, 148, 248, 258);
        fixture.sample("main", 0, 120, "a.py(7): step", "tiktoken/core.py(9): encode");
        looked(fixture, Attribute.LOOKED_NS, 60);
        fixture.sample("main", 120, 258, "a.py(7): step", "a.py(8): loop");
        looked(fixture, Attribute.LOOKED_NS, 16);
        Timeline timeline = fixture.build();

        int[] whole = speakers(timeline, 258);
        assertThat(whole[60]).isNotEqualTo(whole[136]).isGreaterThanOrEqualTo(0);
        for (int slice : new int[] {1, 7, 10}) {
            assertThat(speakers(timeline, slice))
                    .as("in slices of %d us", slice)
                    .isEqualTo(whole);
        }
    }

    @Test
    void slicesOfAPartWithASampleOnlyAtItsBeginSayWhatTheWholeSays() {
        TimelineFixture fixture = models(0, 258);
        fixture.sample("main", 0, 20, "a.py(7): step", "tiktoken/core.py(9): encode");
        looked(fixture, Attribute.LOOKED_NS, 6);
        Timeline timeline = fixture.build();

        assertThat(speakers(timeline, 7)).isEqualTo(speakers(timeline, 258));
    }

    /**
     * A thread that works and waits for its next job by turns, in states that are longer than either: each sample saw one of the two. What ran
     * is where it was seen to run, what waited where it was seen to wait.
     */
    @Test
    void whatSawAThreadWaitSaysNothingOfWhatItRan() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("worker", 0, 100, 40, 0, WaitReason.FUTEX)
                .sample("worker", 0, 40, "app.py(7): serve", "/usr/lib/python3.11/queue.py(171): Queue.get")
                .sample("worker", 40, 60, "app.py(7): serve", "app.py(3): work")
                .sample("worker", 60, 100, "app.py(7): serve", "/usr/lib/python3.11/queue.py(171): Queue.get");

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause() == LedgerClass.CPU_PYTHON)
                .extracting(PlaceFigures::where, PlaceFigures::ns)
                .containsExactly(tuple("app.py:3 work", us(40)));
    }

    /**
     * A thread sleeps, waits for the GIL and works by turns; other programs have the CPUs. Python does not run where the thread waits for the
     * GIL; where it often sleeps, one that is awake without the GIL was woken and has no CPU yet.
     */
    @Test
    void whatSawAThreadWithoutTheGilSaysNothingOfWhatItsPythonRan() {
        TimelineFixture fixture = TimelineFixture.blank().state("worker", 0, 100, 40, 30, WaitReason.FUTEX);
        String sleeps = "app.py(7): infer";
        sampled(fixture, 0, 20, SampledGil.WAITS, sleeps);
        sampled(fixture, 20, 50, SampledGil.NEITHER, sleeps);
        sampled(fixture, 50, 60, SampledGil.HOLDS, "app.py(6): tokenize");
        sampled(fixture, 60, 80, SampledGil.BLOCKED, sleeps);
        sampled(fixture, 80, 100, SampledGil.NEITHER, sleeps);

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause() == LedgerClass.CPU_PYTHON)
                .extracting(PlaceFigures::where, PlaceFigures::ns)
                .containsExactly(tuple("app.py:6 tokenize", us(40)));
    }

    private static void sampled(TimelineFixture fixture, double fromUs, double toUs, int gil, String frame) {
        fixture.sample("worker", fromUs, toUs, frame);
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, gil);
    }

    /** A worker of a pool that takes its work in C: what is called says nothing, the state at the look does. */
    @Test
    void whatSawAThreadAsleepSaysNothingOfItsWork() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("worker", 0, 100, 40, 0, WaitReason.FUTEX)
                .sample("worker", 0, 60, "thread.py(81): _worker", "called [pool.so]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.BLOCKED);
        fixture.sample("worker", 60, 70, "thread.py(81): _worker", "app.py(3): work", "called [codec.so]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.NEITHER);
        fixture.sample("worker", 70, 100, "thread.py(81): _worker", "called [pool.so]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.BLOCKED);

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause() == LedgerClass.CPU_NATIVE)
                .extracting(PlaceFigures::where, PlaceFigures::ns)
                .containsExactly(tuple("app.py:3 work", us(40)));
    }

    @Test
    void whatSawAThreadHoldTheGilSaysNothingOfWhereItWaited() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 40, 0, WaitReason.SOCKET)
                .sample("main", 0, 50, "app.py(7): serve", "app.py(3): work");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.HOLDS);
        fixture.sample("main", 50, 100, "app.py(7): serve", "app.py(4): ask");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.NEITHER);

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause() == LedgerClass.WAIT_SOCKET)
                .extracting(PlaceFigures::where, PlaceFigures::ns)
                .containsExactly(tuple("app.py:4 ask", us(60)));
    }

    @Test
    void nativeCodeThatRanWithoutTheGilSaysNothingOfWhereAThreadWaited() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 40, 0, WaitReason.SOCKET)
                .sample("main", 0, 50, "app.py(7): serve", "app.py(3): work", "called [libtorch_python.so]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.NEITHER);
        fixture.sample("main", 50, 100, "app.py(7): serve", "app.py(4): ask");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.BLOCKED);

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause() == LedgerClass.WAIT_SOCKET)
                .extracting(PlaceFigures::where, PlaceFigures::ns)
                .containsExactly(tuple("app.py:4 ask", us(60)));
    }

    /** The frames of a native sample were read while the thread slept; its instruction was executed before. */
    @Test
    void aNativeSampleSaysNothingOfWhereAThreadWaited() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 40, 0, WaitReason.FUTEX)
                .sample("main", 0, 50, "app.py(7): serve", "app.py(4): guard", "gemm [libblas.so]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.NEITHER);
        looked(fixture, Attribute.LOOKED_NS, 20);
        looked(fixture, Attribute.FRAMES_READ_NS, 75);
        fixture.sample("main", 50, 100, "app.py(7): serve", "app.py(4): guard", "lock [python]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.BLOCKED);
        looked(fixture, Attribute.LOOKED_NS, 25);

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause().isWaiting())
                .extracting(PlaceFigures::cause, PlaceFigures::where, PlaceFigures::ns)
                .containsExactly(tuple(LedgerClass.WAIT_LOCK, "app.py:4 guard", us(60)));
    }

    /** Samples of a native program are taken on a CPU: at the work before the lock far more often than on the way to sleep. */
    @Test
    void aNativeThreadWaitsForALockWhereItWasSeenGoingToSleep() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 40, 0, WaitReason.FUTEX)
                .sample("main", 0, 90, "p.cpp(20): worker [p]", "p.cpp(11): digest [p]")
                .sample(
                        "main",
                        90,
                        100,
                        "p.cpp(21): worker [p]",
                        "p.cpp(13): record [p]",
                        "[86000] [libc.so.6]",
                        "__x64_sys_futex [kernel]",
                        "finish_task_switch [kernel]");

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause().isWaiting())
                .extracting(PlaceFigures::where, PlaceFigures::ns)
                .containsExactly(tuple("p.cpp:13 record [p]", us(60)));
    }

    /** The thread did not let go of the GIL: it had a page fault, or was stopped. */
    @ParameterizedTest
    @CsvSource({"PAGE_FAULT, ENDED_BY_TIMEOUT, WAIT_PAGE_FAULT", "UNKNOWN, STOPPED, WAIT_STOPPED"})
    void aThreadMayBeHeldUpWhereItHoldsTheGil(WaitReason reason, WaitDetail detail, LedgerClass cause) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("main", 0, 100, 40, 0, reason)
                .waiting(detail)
                .sample("main", 0, 50, "app.py(7): serve", "app.py(3): gather")
                .attribute(Attribute.GIL, SampledGil.HOLDS)
                .sample("main", 50, 100, "app.py(7): serve", "app.py(4): drop")
                .attribute(Attribute.GIL, SampledGil.NEITHER);

        assertThat(analyze(fixture).rows(HostTables.HOST_TIME))
                .filteredOn(place -> place.cause() == cause)
                .extracting(PlaceFigures::where, PlaceFigures::ns)
                .containsExactlyInAnyOrder(tuple("app.py:3 gather", us(30)), tuple("app.py:4 drop", us(30)));
    }

    /** By microsecond: the sample that speaks for it, when time is asked for in slices. */
    private static int[] speakers(Timeline timeline, int sliceUs) {
        int track = timeline.tracks().stream()
                .filter(t -> t.kind() == TrackKind.THREAD)
                .findFirst()
                .orElseThrow()
                .id();
        int rows = timeline.endRow(track) - timeline.firstRow(track);
        int[] samples = IntStream.range(timeline.firstRow(track), timeline.endRow(track))
                .filter(row -> timeline.kind(row) == RowKind.STACK_SAMPLE)
                .toArray();
        InnermostRows activities = new InnermostRows(timeline, track, RowKind::isHostActivity, rows);
        RepresentativeSamples speaking = new RepresentativeSamples(
                timeline,
                new ActivityClassifier(timeline, false),
                samples,
                new InnermostRows(timeline, track, kind -> kind == RowKind.STACK_SAMPLE, rows),
                activities.again());
        int[] speakers = new int[258];
        for (int from = 0; from < speakers.length; from += sliceUs) {
            activities.begin(from * 1000L, Math.min(speakers.length, from + sliceUs) * 1000L);
            while (activities.next()) {
                speaking.begin(activities.pieceRow(), activities.pieceStartNs(), activities.pieceEndNs());
                while (speaking.next()) {
                    Arrays.fill(
                            speakers,
                            (int) (speaking.partStartNs() / 1000),
                            (int) (speaking.partEndNs() / 1000),
                            speaking.sample());
                }
            }
        }
        return speakers;
    }

    private static TimelineFixture models(int... startsAndEndsUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < startsAndEndsUs.length; i += 2) {
            fixture.host(RowKind.ANNOTATION, "main", startsAndEndsUs[i], startsAndEndsUs[i + 1], "forward");
            fixture.builder().attribute(fixture.lastRow(), Attribute.ACTIVITY, RangeActivity.MODEL.ordinal());
        }
        return fixture;
    }

    private static void looked(TimelineFixture fixture, Attribute attribute, double us) {
        fixture.builder().attribute(fixture.lastRow(), attribute, us(us));
    }

    private static Report analyze(TimelineFixture fixture) {
        return new Analyzer().analyze(fixture.build(), "samples");
    }
}
