package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stack samples explain the time that no measured activity covers, and say how far they may be off. */
class SampledTimeTest {
    private static final String MAIN = "a.py(1): main";

    @Test
    void samplesExplainTimeThatNoActivityCoversAndMeasuredIntervalsWin() {
        Report report = analyze(TimelineFixture.blank()
                .scope("main", 20, 50, "tokenize")
                .sample("main", 0, 40, MAIN, "a.py(5): work")
                .sample("main", 40, 80, MAIN, "threading.py(320): wait")
                .scope("main", 100, 110, "tokenize"));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.durationNs()).isEqualTo(110_000);
        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(40_000);
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(20_000);
        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(30_000);
        assertThat(ledger.ns(LedgerClass.UNATTRIBUTED)).isEqualTo(20_000);
        assertThat(basis(ledger, LedgerClass.CPU_TOKENIZATION)).isEqualTo("measured");
        assertThat(basis(ledger, LedgerClass.CPU_PYTHON)).isEqualTo("estimated");
        assertThat(basis(ledger, LedgerClass.UNATTRIBUTED)).isEqualTo("measured");
    }

    /** New weights are filled on the CPU, between a query of the device and the first copy to it. */
    @Test
    void operatorsWithoutACallForLongComputeOnTheCpu() {
        assertThat(filling(30_000).ns(LedgerClass.CPU_NATIVE)).isEqualTo(30_000_000);
        assertThat(filling(30_000).ns(LedgerClass.FRAMEWORK_DISPATCH)).isEqualTo(10_000);
        assertThat(filling(10_000).ns(LedgerClass.FRAMEWORK_DISPATCH)).isEqualTo(10_010_000);
    }

    /** The first call of a library's function imports and compiles. A module that calls it while it is imported does not count as loading. */
    @Test
    void whatACallLoadsInsideItsRangeIsLoading() {
        String wrapper = "/opt/inferscope/python/inferscope/_hook.py(235): wrap.<locals>.wrapper";
        String function = "/v/site-packages/librosa/core/audio.py(628): resample";
        String loads = "<frozen importlib._bootstrap>(1176): _find_and_load";
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 90, "librosa.resample");
        fixture.builder().attribute(fixture.lastRow(), Attribute.ACTIVITY, RangeActivity.PREPROCESSING.ordinal());
        fixture.sample("main", 0, 40, MAIN, wrapper, function, loads)
                .sample("main", 40, 60, loads, MAIN, wrapper, function)
                .sample("main", 60, 90, MAIN, wrapper, function);
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.FRAMEWORK_COMPILE_LOAD)).isEqualTo(40_000);
        assertThat(ledger.ns(LedgerClass.CPU_PREPROCESSING)).isEqualTo(50_000);
    }

    /**
     * CTranslate2, llama.cpp and others compute in threads of their own, which Python threads wait for inside one native
     * call. Python that such a call calls back is Python's.
     */
    @Test
    void aCallOfAnEngineOfNativeCodeWaitsForItsThreads() {
        String wrapper = "/opt/inferscope/python/inferscope/_hook.py(235): wrap.<locals>.wrapper";
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 100, "Translator.translate_batch");
        fixture.activity(RangeActivity.MODEL);
        fixture.sample("main", 0, 60, MAIN, wrapper)
                .sample("main", 60, 80, MAIN, wrapper, "called [engine.so]")
                .sample("main", 80, 100, MAIN, wrapper, "a.py(9): take")
                .state("main", 0, 80, 10, 0, WaitReason.FUTEX)
                .state("main", 80, 100, 20, 0, WaitReason.UNKNOWN)
                .state("engine", 0, 80, 80, 0, WaitReason.UNKNOWN);
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(80_000);
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(20_000);
    }

    private static Ledger filling(double us) {
        TimelineFixture fixture = TimelineFixture.blank()
                .call("main", 0, 10, "cudaGetDeviceCount")
                .sample("main", 0, us + 10, MAIN, "torch/nn/init.py(83): normal_", "called [libtorch_python.so]")
                .kernel("7", us + 20, us + 30, "copy")
                .launchedBy("main", us + 10, us + 12);
        fixture.builder().overhead(new RecorderOverhead("cuda-agent", 0, 0, 1));
        return analyze(fixture).ledgers().stream()
                .filter(ledger -> ledger.part() == LedgerPart.WINDOW)
                .findFirst()
                .orElseThrow();
    }

    /** By hand: 20 of 100 samples of 10 ms, 1.96 x 10 ms x sqrt(20 x 0.8) = 78.4 ms. */
    @Test
    void theBoundIsThatOfTheBinomialDistribution() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            fixture.sample(
                    "main",
                    10_000 * i,
                    10_000 * (i + 1),
                    MAIN,
                    i % 5 == 0 ? "tiktoken/core.py(5): encode" : "a.py(9): work");
        }
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(entry(ledger, LedgerClass.CPU_TOKENIZATION).ns()).isEqualTo(200_000_000);
        assertThat(entry(ledger, LedgerClass.CPU_TOKENIZATION).boundNs()).isEqualTo(78_400_000);
        assertThat(entry(ledger, LedgerClass.CPU_PYTHON).boundNs()).isEqualTo(78_400_000);
    }

    @Test
    void samplesThatAllAgreeAreStillOffByUpToThreeOfThem() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.sample("main", 0, 1_000_000, MAIN);
        fixture.builder().attribute(fixture.lastRow(), Attribute.SAMPLES, 100);
        Ledger ledger = analyze(fixture).ledgers().get(0);

        assertThat(entry(ledger, LedgerClass.CPU_PYTHON).ns()).isEqualTo(1_000_000_000);
        assertThat(entry(ledger, LedgerClass.CPU_PYTHON).boundNs()).isEqualTo(30_000_000);
    }

    @Test
    void aSampleOfTenMillisecondsCannotPlaceItselfInAGapOfFiftyMicroseconds() {
        Report report = analyze(TimelineFixture.blank()
                .kernel("7", 1_000, 2_000, "gemm")
                .launchedBy("main", 990, 1_000)
                .kernel("7", 2_050, 3_000, "gemm")
                .launchedBy("main", 2_050, 2_060)
                .sample("main", 0, 10_000, MAIN, "tiktoken/core.py(5): encode"));

        assertThat(report.rows(Report.IDLE_BLAME))
                .filteredOn(b -> b.phase() == LedgerPart.SPAN && b.cause() == LedgerClass.CPU_TOKENIZATION)
                .singleElement()
                .satisfies(b -> {
                    assertThat(b.ns()).isEqualTo(50_000);
                    assertThat(b.estimated()).isTrue();
                    assertThat(b.boundNs()).isEqualTo(50_000);
                    assertThat(b.where()).isEqualTo("tiktoken/core.py:5 encode");
                    assertThat(b.activity()).isEqualTo("tiktoken/core.py(5): encode");
                });
    }

    @Test
    void aRecordedStateWinsOverWhatASampleSawOfWaiting() {
        Report report = analyze(TimelineFixture.blank()
                .state("main", 0, 100, 100, 0, WaitReason.UNKNOWN)
                .state("main", 100, 200, 0, 0, WaitReason.TIMER)
                .sample("main", 0, 100, MAIN, "selectors.py(468): select")
                .sample("main", 100, 200, MAIN, "selectors.py(468): select"));
        Ledger ledger = report.ledgers().get(0);

        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(100_000);
        assertThat(basis(ledger, LedgerClass.CPU_PYTHON)).isEqualTo("estimated");
        assertThat(ledger.ns(LedgerClass.WAIT_TIMER)).isEqualTo(100_000);
        assertThat(basis(ledger, LedgerClass.WAIT_TIMER)).isEqualTo("measured");
    }

    @Test
    void theThreadThatSamplesSawAtWorkMostIsJudged() {
        Report report = analyze(TimelineFixture.blank()
                .sample("waiter", 0, 900, MAIN, "threading.py(320): wait")
                .sample("waiter", 900, 910, MAIN)
                .sample("worker", 0, 100, MAIN, "a.py(5): work")
                .sample("worker", 0, 1, "memcpy [libc.so.6]"));

        assertThat(report.judged().subject()).contains("worker");
    }

    @Test
    void aThreadOfAPoolThatSpinsIsNotJudgedInPlaceOfTheThreadThatItServes() {
        for (long mainUs : new long[] {700, 300}) {
            Report report = analyze(TimelineFixture.blank()
                    .state("main", 0, 900, mainUs, 0, WaitReason.UNKNOWN)
                    .sample("main", 0, 900, MAIN, "called [_umath.so]")
                    .state("pool", 0, 900, 890, 0, WaitReason.UNKNOWN)
                    .sample("pool", 0, 900, "blas_thread_server [libopenblas.so]"));

            assertThat(report.judged().subject())
                    .as("%s us on a CPU", mainUs)
                    .contains(mainUs == 700 ? "main" : "pool");
        }
    }

    @Test
    void ofThreadsThatComputeAboutAsMuchTheMainThreadIsJudged() {
        for (long helperUs : new long[] {500, 900}) {
            TimelineFixture fixture = TimelineFixture.blank()
                    .state("helper", 0, 900, helperUs, 0, WaitReason.UNKNOWN)
                    .sample("helper", 0, 900, MAIN)
                    .state("1", 0, 900, 450, 0, WaitReason.UNKNOWN)
                    .sample("1", 0, 900, MAIN);

            assertThat(analyze(fixture).judged().subject())
                    .as("%s us", helperUs)
                    .contains(helperUs == 500 ? "thread 1" : "helper");
        }
    }

    /**
     * A main thread that works on and off and waits for its other threads, beside a busy one in the background: not one
     * that sleeps, works at its start only, or hardly works. Of an interpreter's threads, what they call decides.
     */
    @ParameterizedTest
    @CsvSource({
        "LOCK, 20, 10, p.cpp(9): answer [p], thread 1",
        "FUTEX, 20, 10, p.cpp(9): answer [p], thread 1",
        "TIMER, 20, 10, p.cpp(9): answer [p], meter",
        "SOCKET, 20, 10, p.cpp(9): answer [p], meter",
        "FUTEX, 100, 2, p.cpp(9): answer [p], meter",
        "FUTEX, 2, 10, p.cpp(9): answer [p], meter",
        "FUTEX, 20, 10, a.py(9): answer, meter",
    })
    void theMainThreadOfANativeProgramThatItLeadsIsJudged(
            WaitReason waits, long onCpuUs, int parts, String frame, String judged) {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("meter", 0, 1_000, 900, 0, WaitReason.UNKNOWN)
                .sample("meter", 0, 1_000, "p.cpp(20): count [p]");
        for (int part = 0; part < 10; part++) {
            fixture.state("1", part * 100, part * 100 + 100, part < parts ? onCpuUs : 0, 0, waits);
        }
        fixture.sample("1", 0, 1_000, frame);

        assertThat(analyze(fixture).judged().subject()).contains(judged);
    }

    /** It is not the first thread of the process. */
    @Test
    void theMainThreadOfAJvmThatItLeadsIsJudged() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("GC Thread#0", 0, 1_000, 10, 0, WaitReason.UNKNOWN)
                .state("refresher", 0, 1_000, 900, 0, WaitReason.UNKNOWN)
                .sample("refresher", 0, 1_000, "Pool.java(3): Pool.rebuild");
        for (int part = 0; part < 10; part++) {
            fixture.state("main", part * 100, part * 100 + 100, 20, 0, WaitReason.LOCK);
        }
        fixture.sample("main", 0, 1_000, "Pool.java(4): Pool.answer");

        assertThat(analyze(fixture).judged().subject()).contains("main");
    }

    /** Two workers that share the work of the process that started them: each computes about as much. */
    @Test
    void ofAProgramAndItsWorkersThatComputeAboutAsMuchTheProgramIsJudged() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("1", 0, 900, 450, 0, WaitReason.UNKNOWN)
                .sample("1", 0, 900, MAIN);
        TimelineBuilder builder = fixture.builder();
        int parent = builder.track(TrackKind.PROCESS, -1, "1");
        int child = builder.track(TrackKind.PROCESS, -1, "2");
        int thread = builder.track(TrackKind.THREAD, child, "2");
        builder.row(RowKind.PROCESS, parent, 0, TimelineFixture.us(900), builder.name("main.py"));
        builder.row(RowKind.PROCESS, child, 0, TimelineFixture.us(900), builder.name("worker.py"));
        int state = builder.row(RowKind.THREAD_STATE, thread, 0, TimelineFixture.us(900), builder.name(""));
        builder.attribute(state, Attribute.ON_CPU_NS, TimelineFixture.us(500));
        builder.attribute(state, Attribute.RUNNABLE_NS, 0);
        int sample = builder.row(RowKind.STACK_SAMPLE, thread, 0, TimelineFixture.us(900), builder.name("work"));
        builder.attribute(sample, Attribute.STACK, builder.stack(-1, builder.name(MAIN)));
        builder.property("process.2.parent", "1");

        assertThat(analyze(fixture).judged().subject()).contains("thread 1");
    }

    @Test
    void aProgramIsJudgedAndNotOneOfTheShortProcessesThatItStarts() {
        for (long childEndsUs : new long[] {300, 900}) {
            TimelineFixture fixture = TimelineFixture.blank()
                    .state("main", 0, 900, 50, 0, WaitReason.CHILD_PROCESS)
                    .sample("main", 0, 900, MAIN);
            TimelineBuilder builder = fixture.builder();
            int parent = builder.track(TrackKind.PROCESS, -1, "1");
            int child = builder.track(TrackKind.PROCESS, -1, "2");
            int thread = builder.track(TrackKind.THREAD, child, "helper");
            builder.row(RowKind.PROCESS, parent, 0, TimelineFixture.us(900), builder.name("main.py"));
            builder.row(RowKind.PROCESS, child, 0, TimelineFixture.us(childEndsUs), builder.name("helper.py"));
            int state = builder.row(RowKind.THREAD_STATE, thread, 0, TimelineFixture.us(280), builder.name(""));
            builder.attribute(state, Attribute.ON_CPU_NS, TimelineFixture.us(280));
            builder.attribute(state, Attribute.RUNNABLE_NS, 0);
            builder.property("process.2.parent", "1");

            assertThat(analyze(fixture).judged().subject())
                    .as("child of %s us", childEndsUs)
                    .contains(childEndsUs == 300 ? "main" : "helper");
        }
    }

    @Test
    void threadsOfTheJvmAreNotJudgedHoweverMuchTheyCompile() {
        Report report = analyze(TimelineFixture.blank()
                .state("C2 CompilerThre", 0, 900, 900, 0, WaitReason.UNKNOWN)
                .state("http-nio-1", 0, 900, 200, 0, WaitReason.SOCKET));

        assertThat(report.judged().subject()).contains("http-nio-1");
    }

    @Test
    void aThreadOfAProcessThatIsNotRecordedIsNamedAlone() {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "program"), "7");
        builder.row(RowKind.ANNOTATION, thread, 0, 10, builder.name("work"));

        assertThat(Threads.withProcess(builder.build("speedscope"), thread)).isEqualTo("thread 7");
    }

    @Test
    void aHelperIsListedWithItsCallersAndALibrarysFunctionWithTheLineOfTheProgramAboveIt() {
        Report report = analyze(TimelineFixture.blank()
                .sample("main", 0, 30, MAIN, "a.py(7): load", "a.py(5): busy", "a.py(5): busy")
                .sample("main", 30, 40, MAIN, "a.py(9): save", "a.py(5): busy", "re.py(3): sub"));

        assertThat(report.rows(Report.SAMPLED_LINES))
                .filteredOn(line -> line.place().equals("a.py:5 busy"))
                .extracting(SampleFigures::callers)
                .containsExactly("a.py:7 load 75.0%, a.py:9 save 25.0%");
        assertThat(report.rows(Report.SAMPLED_FUNCTIONS))
                .extracting(SampleFigures::place, SampleFigures::callers)
                .contains(org.assertj.core.groups.Tuple.tuple("re.py: sub", "a.py:5 busy 100.0%"));
    }

    @Test
    void aFunctionThatCallsItselfElsewhereIsCalledFromOutside() {
        Report report = analyze(TimelineFixture.blank()
                .sample("main", 0, 30, "a.py(9): load", "a.py(5): busy", "a.py(5): busy", "a.py(7): busy"));

        assertThat(report.rows(Report.SAMPLED_LINES))
                .singleElement()
                .extracting(SampleFigures::callers)
                .asString()
                .contains("a.py:9 load")
                .doesNotContain("busy");
    }

    @Test
    void linesAndFunctionsAreListedTheHottestFirstAndRecursionCountsOnce() {
        Report report = analyze(TimelineFixture.blank()
                .sample("main", 0, 30, MAIN, "a.py(5): fib", "a.py(5): fib")
                .sample("main", 30, 40, MAIN, "a.py(6): fib", "a.py(5): fib", "re.py(3): sub")
                .sample("main", 40, 45, MAIN));

        assertThat(report.rows(Report.SAMPLED_LINES))
                .extracting(SampleFigures::place, SampleFigures::samples, SampleFigures::selfNs, SampleFigures::totalNs)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("a.py:5 fib", 2L, 40_000L, 40_000L),
                        org.assertj.core.groups.Tuple.tuple("a.py:1 main", 1L, 5_000L, 45_000L));
        assertThat(report.rows(Report.SAMPLED_FUNCTIONS))
                .extracting(SampleFigures::place, SampleFigures::selfNs, SampleFigures::totalNs)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("a.py: fib", 30_000L, 40_000L),
                        org.assertj.core.groups.Tuple.tuple("re.py: sub", 10_000L, 10_000L),
                        org.assertj.core.groups.Tuple.tuple("a.py: main", 5_000L, 45_000L));
        assertThat(report.diagnosis())
                .contains("a.py:5 fib is the hottest line: 88.9% of the timeline, in process 1, thread main");
    }

    @Test
    void theHottestLineIsWhereTheWorkerRunsAndNotWhereItIsWaitedFor() {
        Report report = analyze(TimelineFixture.blank()
                .state("main", 0, 90, 0, 0, WaitReason.FUTEX)
                .state("main", 90, 100, 10, 0, WaitReason.UNKNOWN)
                .sample("main", 0, 90, "loader.py(9): <module>", "multiprocessing/pool.py(873): next")
                .sample("main", 90, 100, "loader.py(8): consume")
                .state("worker", 0, 100, 90, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 90, "loader.py(4): work")
                .scope("main", 0, 100, "step")
                .handedOver("worker", "main", 0, 90));

        assertThat(report.diagnosis())
                .filteredOn(line -> line.contains("hottest"))
                .singleElement()
                .asString()
                .startsWith("loader.py:4 work is the hottest line: ")
                .endsWith("thread worker");
    }

    @Test
    void aProgramThatOnlyWaitsHasNoHottestLine() {
        Report report = analyze(TimelineFixture.blank()
                .state("main", 0, 100, 3, 0, WaitReason.FUTEX)
                .sample("main", 0, 100, "loader.py(9): <module>", "multiprocessing/pool.py(873): next"));

        assertThat(report.diagnosis()).noneMatch(line -> line.contains("hottest"));
    }

    @Test
    void stacksOfLibrariesAloneAreFunctionsAndNoLinesOfTheProgram() {
        String library = "/v/lib/python3.11/site-packages/anyio/_asyncio.py(1089): run";
        Report report = analyze(TimelineFixture.blank()
                .sample("main", 0, 10, "/v/bin/uvicorn(8): <module>", library)
                .sample("main", 10, 20, "ArrayList.java(9): java.util.ArrayList.add")
                .sample("main", 20, 30, "app.py(3): answer", library));

        assertThat(report.rows(Report.SAMPLED_LINES))
                .extracting(SampleFigures::place)
                .containsExactly("app.py:3 answer");
        assertThat(report.rows(Report.SAMPLED_FUNCTIONS))
                .extracting(SampleFigures::place)
                .containsExactlyInAnyOrder("anyio/_asyncio.py: run", "ArrayList.java: java.util.ArrayList.add");
    }

    private static Report analyze(TimelineFixture fixture) {
        return new Analyzer().analyze(fixture.build(), "samples");
    }

    private static Ledger.Entry entry(Ledger ledger, LedgerClass ledgerClass) {
        return ledger.entries().stream()
                .filter(e -> e.ledgerClass() == ledgerClass)
                .findFirst()
                .orElseThrow();
    }

    private static String basis(Ledger ledger, LedgerClass ledgerClass) {
        return entry(ledger, ledgerClass).basis();
    }
}
