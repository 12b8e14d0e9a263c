package io.inferscope.analyzer.trust;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every check of the gate fires once and passes once; the sound recording passes them all. */
class TrustGateTest {
    private static final Path MANUAL = Path.of("..", "docs", "trust-gate.md");
    private static final Pattern COMMAND = Pattern.compile("`(inferscope|nsys|rocprofv3|py-spy) [^`]+`");
    private static final Pattern OURS = Pattern.compile("`inferscope [^`]+`");

    private static final String SOUND = """
            us           0         10        20        30        40
            thread main  [ProfilerStep#1                         ]
            thread main  .LL.......LL........YYYYYYYYYY
            stream 7     ...KKKKKKK..KKKKKKKKKKKKKKKKKK
            links in order
            """;

    @Test
    void durationsThatWereLaidOutCarryNoVerdictAndNoOtherCheck() {
        TimelineBuilder builder = new TimelineBuilder();
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "layers");
        builder.row(RowKind.KERNEL, stream, 0, 10, builder.name("layer"));
        builder.property(TimelineInfo.INSTANTS, TimelineInfo.LAID_OUT);

        Report report = new Analyzer().analyze(builder.build("test"), "test");

        assertThat(report.trust())
                .extracting(TrustCheck::check)
                .containsExactly("lost-events", "instants-are-recorded");
        assertThat(report.verdict().bound()).isEqualTo(BoundVerdict.Bound.WITHHELD);
        assertThat(report.findings()).isEmpty();
        assertThat(report.diagnosis()).containsExactly("No verdict: the recording cannot carry one");
    }

    @Test
    void aSoundRecordingPassesEveryCheck() {
        Analysis analysis = Analysis.of(TimelineFixture.draw(SOUND), Thresholds.defaults());

        assertThat(TrustGate.check(analysis)).hasSize(16).allSatisfy(check -> {
            assertThat(check.passed()).as(check.check()).isTrue();
            assertThat(check.withholds()).isFalse();
            assertThat(check.remedy()).isEmpty();
        });
        assertThat(TrustGate.check(analysis))
                .extracting(TrustCheck::check)
                .containsExactly(
                        "lost-events",
                        "known-accelerator",
                        "launches-have-device-work",
                        "graph-launches-have-kernels",
                        "operations-have-launches",
                        "kernels-follow-their-launch",
                        "synchronisation-follows-its-work",
                        "clocks-are-tied",
                        "streams-do-not-overlap",
                        "steps-have-device-work",
                        "blocked-calls-have-device-work",
                        "first-operation-starts-at-once",
                        "utilisation-agrees",
                        "profiler-is-small",
                        "samples-carry-time",
                        "samples-tell-waiting");
    }

    @Test
    void samplesWithoutTheTimeBetweenThemAreTold() {
        TrustCheck packed = check(
                "samples-carry-time",
                TimelineFixture.blank().sample("main", 0, 10, "a.py(1): f").property("samples_axis", "packed"));
        TrustCheck counted = check(
                "samples-carry-time",
                TimelineFixture.blank()
                        .sample("main", 0, 10, "a.py(1): f")
                        .property("samples_axis", "packed")
                        .property("samples_assumed_period_ns", "10000000"));

        assertThat(packed.passed()).isFalse();
        assertThat(packed.withholds()).isFalse();
        assertThat(packed.detail()).contains("the length of the timeline is time at work");
        assertThat(counted.detail()).contains("each is taken for 10.0 ms, and only shares can be relied on");
    }

    @Test
    void idleSamplesOfPythonFramesAloneWithholdTheVerdict() {
        TimelineFixture idle = TimelineFixture.blank()
                .sample("main", 0, 80, "a.py(1): f")
                .sample("other", 0, 20, "a.py(1): g", "threading.py(320): wait");
        TrustCheck check = check("samples-tell-waiting", idle);

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).isTrue();
        assertThat(check.detail()).startsWith("20.0% of the sampled time is waiting");
        assertThat(check("samples-tell-waiting", idle.sample("main", 80, 90, "a.py(1): f", "nanosleep [libc.so.6]"))
                        .passed())
                .isTrue();
        assertThat(check(
                                "samples-tell-waiting",
                                TimelineFixture.blank()
                                        .sample("main", 0, 95, "a.py(1): f")
                                        .sample("other", 0, 5, "threading.py(320): wait"))
                        .passed())
                .isTrue();
    }

    @Test
    void aFirstOperationThatWaitsForNothingRecordedMeansThatEarlierWorkIsMissing() {
        TrustCheck check = check(
                "first-operation-starts-at-once",
                TimelineFixture.blank().kernel("7", 2_000, 2_100, "gemm").launchedBy("main", 0, 10));

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).isFalse();
        assertThat(check.detail()).contains("1.99 ms after its launch call returned", "earlier device work is missing");
    }

    @Test
    void manyLostEventsWithhold() {
        TrustCheck check = check(
                "lost-events", TimelineFixture.drawing(SOUND).eventsRead(100).damaged(Reason.RECORDER_DROPPED, 2));

        assertWithholds(check, "2 dropped and 0 repaired of 100 events read");
    }

    @Test
    void fewLostEventsPass() {
        TrustCheck check = check(
                "lost-events", TimelineFixture.drawing(SOUND).eventsRead(100).damaged(Reason.RECORDER_DROPPED, 1));

        assertThat(check.passed()).isTrue();
        assertThat(check.detail()).startsWith("1 dropped and 0 repaired of 100 events read");
    }

    @Test
    void aCutFileIsNotedOnly() {
        assertNoted(
                check(
                        "lost-events",
                        TimelineFixture.drawing(SOUND).eventsRead(10).damaged(Reason.TRUNCATED, 1)),
                "1 dropped and 0 repaired of 10 events read");
    }

    @ParameterizedTest
    @CsvSource({"kineto, true", "xla, true", "speedscope, false", "spool, false"})
    void aFileCutBeforeAnyDeviceEventWithholdsWhereDevicesComeLast(String format, boolean withholds) {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        builder.row(RowKind.OPERATOR, thread, 0, 10, builder.name("aten::addmm"));
        builder.stats().event();
        builder.stats().count(Reason.TRUNCATED, 100, "");

        TrustCheck check = check("lost-events", builder.build(format));

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).isEqualTo(withholds);
        assertThat(check.detail().contains("device work, which such files hold last"))
                .isEqualTo(withholds);
    }

    @Test
    void whatFollowsTheDocumentIsNotedHoweverManyEventsPrecedeIt() {
        assertNoted(
                check(
                        "lost-events",
                        TimelineFixture.drawing(SOUND).eventsRead(1_000_000).damaged(Reason.TRAILING_DATA, 1)),
                "1 dropped and 0 repaired of 1000000 events read");
    }

    @ParameterizedTest
    @CsvSource({"100, false", "20000, true"})
    void deviceWorkThatAnotherProfilerReceivedIsNotTakenForIdleTime(long unrecordedNs, boolean withholds) {
        TrustCheck check = check(
                "lost-events",
                TimelineFixture.drawing(SOUND)
                        .property("inferscope.device_unrecorded_ns", Long.toString(unrecordedNs)));

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).isEqualTo(withholds);
        assertThat(check.detail()).contains("what looks idle there may be busy");
        assertThat(check.remedy()).contains("torch.profiler");
    }

    @Test
    void aRecordingThatEndedBeforeTheProgramIsNoted() {
        TrustCheck check = check(
                "lost-events", TimelineFixture.drawing(SOUND).eventsRead(10).damaged(Reason.RECORDING_CUT, 1));

        assertNoted(check, "0 dropped and 1 repaired of 10 events read");
        assertThat(check.detail()).contains("recording ended before the program did");
    }

    @Test
    void aCutFileDoesNotExcuseOtherLosses() {
        TrustCheck check = check(
                "lost-events",
                TimelineFixture.drawing(SOUND)
                        .eventsRead(100)
                        .damaged(Reason.RECORDER_DROPPED, 50)
                        .damaged(Reason.TRUNCATED, 1));

        assertWithholds(check, "51 dropped and 0 repaired of 100 events read");
    }

    @Test
    void aGpuInUseOfWhichNothingIsRecordedWithholds() {
        TimelineFixture host = TimelineFixture.drawing("""
                us           0         10
                thread main  [work    ]
                """);
        host.builder().property("process.42.device", "/dev/nvidia0");

        assertWithholds(check("known-accelerator", host), "a GPU is in use (process 42: /dev/nvidia0) and nothing");
    }

    @Test
    void aGpuInUseThatIsRecordedPasses() {
        TimelineFixture sound = TimelineFixture.drawing(SOUND);
        sound.builder().property("process.42.device", "/dev/nvidia0");

        assertThat(check("known-accelerator", sound).passed()).isTrue();
    }

    @Test
    void anUnknownAcceleratorWithoutKnownDeviceWithholds() {
        TrustCheck check = check(
                "known-accelerator",
                TimelineFixture.blank()
                        .host(RowKind.OTHER, "main", 0, 10, "matmul")
                        .text(Attribute.DETAIL, "npu_op"));

        assertWithholds(check, "events of categories that this version cannot place on a device: npu_op");
    }

    @Test
    void anUnknownAcceleratorBesideAKnownDeviceIsNoted() {
        TrustCheck check = check(
                "known-accelerator",
                TimelineFixture.drawing(SOUND)
                        .host(RowKind.OTHER, "main", 0, 10, "matmul")
                        .text(Attribute.DETAIL, "npu_op"));

        assertNoted(check, "events of categories that this version cannot place on a device: npu_op");
    }

    @Test
    void launchesWithoutDeviceWorkWithhold() {
        assertWithholds(
                check("launches-have-device-work", """
                        us           0         10        20
                        thread main  LL..LL..LL..........
                        stream 7     ..KKKKKKKK..........
                        links 0-0
                        """), "2 of 3 launch and copy calls have no device operation");
    }

    @Test
    void halfOfTheLaunchesMayBeUnanswered() {
        assertThat(check("launches-have-device-work", """
                                us           0         10        20
                                thread main  LL..LL..............
                                stream 7     ..KKKKKKKK..........
                                links 0-0
                                """).passed()).isTrue();
    }

    @Test
    void graphLaunchesWithoutReplayedKernelsWithhold() {
        assertWithholds(check("graph-launches-have-kernels", """
                        us           0         10        20
                        thread main  GG........GG........
                        stream 7     ..KKKKKKKK..........
                        links 0-0
                        """), "1 of 2 graph launches have no replayed kernel");
    }

    @Test
    void graphLaunchesWithReplayedKernelsPass() {
        assertThat(check("graph-launches-have-kernels", """
                                us           0         10        20
                                thread main  GG..................
                                stream 7     ..KKKKkkkk..........
                                links 0-0 0-1
                                """).detail())
                .isEqualTo("0 of 1 graph launches have no replayed kernel");
    }

    @Test
    void anOperationWithoutLaunchIsNoted() {
        assertNoted(check("operations-have-launches", """
                        us           0         10        20
                        thread main  LL..................
                        stream 7     ..KKKKKKKK..kkkkkkkk
                        links 0-0
                        """), "1 of 2 device operations have no launch in the trace");
    }

    @Test
    void mostOperationsWithoutLaunchWithhold() {
        assertWithholds(check("operations-have-launches", """
                        us           0         10        20
                        thread main  LL..................
                        stream 7     ..KKKKkkkkKKKKkkkkKK
                        links 0-0
                        """), "4 of 5 device operations have no launch in the trace");
    }

    @Test
    void operationsOfARecordingWithoutCallsAskForTheCalls() {
        assertThat(check("operations-have-launches", """
                        us           0         10        20
                        stream 7     ..KKKKkkkkKKKKkkkkKK
                        """).remedy()).contains("inferscope run --ops -- COMMAND");
    }

    @ParameterizedTest
    @CsvSource({
        "kineto, record again with `inferscope run --ops -- COMMAND`",
        "kineto + nsys, record again with `inferscope run --ops -- COMMAND`",
        "nsys, record again with `nsys profile",
        "rocprofv3, record again with `rocprofv3 --runtime-trace",
        "rocpd, record again with `rocprofv3 --runtime-trace",
        "onnxruntime, record the program with `nsys profile",
        "trtexec, record with `nsys profile",
        "xla, record again with `jax.profiler.trace`"
    })
    void theRemedyNamesTheRecorderOfTheFormat(String format, String remedy) {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        builder.row(RowKind.RUNTIME_CALL, thread, 0, 10, builder.name("cudaDeviceSynchronize"));

        assertThat(check("blocked-calls-have-device-work", builder.build(format))
                        .remedy())
                .startsWith(remedy);
    }

    @Test
    void aKernelBeforeItsLaunchWithholds() {
        assertWithholds(
                check("kernels-follow-their-launch", """
                        us           0         10        20
                        thread main  .....LL...LL........
                        stream 7     ..KKKKKKKK..kkkkkkkk
                        links in order
                        """),
                "1 of 2 operations start before their launch call, by up to 3.00 us");
    }

    @Test
    void largeOverlapOnOneStreamWithholds() {
        assertWithholds(
                check("streams-do-not-overlap", """
                        us        0         10        20
                        stream 7  KKKKKKKKKK..........
                        stream 7  ......KKKKKKKKKK....
                        """),
                "1 of 2 operations overlap the one before them on their stream, 4.00 us in all (20.0% of busy time)");
    }

    @Test
    void smallOverlapOnOneStreamIsNoted() {
        assertNoted(
                check(
                        "streams-do-not-overlap",
                        TimelineFixture.blank().kernel("7", 0, 102, "producer").kernel("7", 98, 196, "consumer")),
                "1 of 2 operations overlap the one before them on their stream, 4.00 us in all (2.0% of busy time)");
    }

    @Test
    void streamsMayOverlapEachOther() {
        assertThat(check("streams-do-not-overlap", """
                                us        0         10        20
                                stream 7  KKKKKKKKKKKKKKKKKKKK
                                stream 8  ....HHHHHHHH........
                                """).detail())
                .isEqualTo("0 of 2 operations overlap the one before them on their stream");
    }

    @Test
    void longStepsWithoutDeviceWorkWithhold() {
        assertWithholds(check("steps-have-device-work", """
                        us           0         10        20        30        40
                        thread main  [ProfilerStep#1    ][ProfilerStep#2    ]
                        stream 7     ..KKKKKKKKKKKKKK
                        """), "1 of 2 profiler steps have no device work");
    }

    @Test
    void aShortStepWithoutDeviceWorkIsNoted() {
        assertNoted(
                check(
                        "steps-have-device-work",
                        TimelineFixture.blank()
                                .scope("main", 0, 90, "ProfilerStep#1")
                                .scope("main", 90, 100, "ProfilerStep#2")
                                .kernel("7", 10, 80, "gemm")),
                "1 of 2 profiler steps have no device work");
    }

    @Test
    void longCallsOverMissingDeviceWorkWithhold() {
        assertWithholds(
                check("blocked-calls-have-device-work", """
                        us           0         10        20        30        40
                        thread main  LL..YYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYY
                        stream 7     ..KKKKKKKKKKKKKK
                        links in order
                        """),
                "synchronising calls wait 24.0 us (60.0% of the window) while no device work is recorded");
    }

    @Test
    void aProfilerOfFifteenPercentWithholds() {
        assertWithholds(check("profiler-is-small", overhead(15)), "the profiler's own recorded work is 15.0%");
    }

    @Test
    void aProfilerOfFivePercentIsNoted() {
        assertNoted(check("profiler-is-small", overhead(5)), "the profiler's own recorded work is 5.0%");
    }

    @Test
    void aSmallerProfilerPasses() {
        assertThat(check("profiler-is-small", overhead(4)).passed()).isTrue();
    }

    @Test
    void aRecorderThatHeldTheProgramUpIsNoted() {
        TimelineFixture held = TimelineFixture.blank().scope("main", 0, 100, "generate");
        held.builder().overhead(new RecorderOverhead("probe", 0, us(9), 1));
        held.builder().overhead(new RecorderOverhead("probe", 0, us(8), 1));

        assertNoted(check("profiler-is-small", held), "recording held the program up for 9.0% of the window");
    }

    @Test
    void aSynchronisationThatReturnsBeforeItsWorkEndsIsNoted() {
        assertNoted(
                check(
                        "synchronisation-follows-its-work",
                        TimelineFixture.blank()
                                .kernel("7", 2, 52, "gemm")
                                .launchedBy("main", 0, 1)
                                .call("main", 3, 50, "cudaDeviceSynchronize")),
                "1 of 1 calls that wait for all of the device return before the work under way has ended, by up to 2.00 us");
    }

    @Test
    void aSkewOfMoreThanFivePercentWithholds() {
        assertWithholds(
                check(
                        "synchronisation-follows-its-work",
                        TimelineFixture.blank()
                                .kernel("7", 2, 54, "gemm")
                                .launchedBy("main", 0, 1)
                                .call("main", 3, 50, "cudaDeviceSynchronize")),
                "1 of 1 calls");
        assertWithholds(
                check(
                        "kernels-follow-their-launch",
                        manyKernels().kernel("7", 1000, 1001, "early").launchedBy("main", 1100, 1101)),
                "1 of 200 operations start before their launch call, by up to 100 us");
    }

    @Test
    void oneEarlyKernelOfManyIsNoted() {
        assertNoted(
                check(
                        "kernels-follow-their-launch",
                        manyKernels().kernel("7", 1000, 1001, "early").launchedBy("main", 1010, 1011)),
                "1 of 200 operations start before their launch call, by up to 10.0 us");
    }

    private static TimelineFixture manyKernels() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 199; i++) {
            fixture.kernel("7", 5 * i + 2, 5 * i + 4, "gemm").launchedBy("main", 5 * i, 5 * i + 1);
        }
        return fixture;
    }

    @Test
    void aSynchronisationThatWorkFollowsPasses() {
        assertThat(check("synchronisation-follows-its-work", SOUND).detail())
                .isEqualTo("no calls that wait for all of the device to look at");
        assertThat(check(
                                "synchronisation-follows-its-work",
                                TimelineFixture.blank()
                                        .kernel("7", 2, 50, "gemm")
                                        .kernel("7", 55, 90, "of another thread")
                                        .call("main", 3, 51, "cudaDeviceSynchronize"))
                        .passed())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"7, true", "8, false", "9, false"})
    void gapsThatClocksCannotPlaceWithhold(long errorUs, boolean passes) {
        TimelineFixture gaps = TimelineFixture.drawing("""
                us           0         10        20        30        40
                thread main  LL.................LL.......................
                stream 7     ..KKKKKKKKK........KKKKKKKKKKKKKKKK
                links in order
                """);
        gaps.builder().clockDomain(new ClockDomain("cupti", 4, errorUs * 1_000));
        Analysis analysis = Analysis.of(gaps.build(), Thresholds.defaults().with(Map.of("trust.skew.share", 1.0)));
        TrustCheck check = TrustGate.check(analysis).stream()
                .filter(c -> c.check().equals("clocks-are-tied"))
                .findFirst()
                .orElseThrow();

        assertThat(check.passed()).isEqualTo(passes);
        assertThat(check.withholds()).isEqualTo(!passes);
        assertThat(check.detail()).contains("clocks are tied to within " + errorUs);
    }

    @Test
    void aLargeErrorOfOneOfSeveralRecordingsIsNoted() {
        assertNoted(
                check("clocks-are-tied", sources("2000000")),
                "clocks are tied to within 2.00 ms; idle gaps no longer than that take 0.0% of the span");
        assertThat(check("clocks-are-tied", sources("900000")).passed()).isTrue();
        assertThat(check("clocks-are-tied", sources("-1")).detail())
                .isEqualTo("no recorder states an error of its clock");
    }

    @Test
    void anErrorOfFivePercentOfTheWindowWithholds() {
        assertWithholds(check("clocks-are-tied", sources("6000000")), "clocks are tied to within 6.00 ms");
    }

    private static TimelineFixture sources(String errorNs) {
        return TimelineFixture.blank()
                .kernel("7", 10, 100_000, "gemm")
                .launchedBy("main", 0, 1)
                .property("source.0.name", "a.json")
                .property("source.0.error_bound_ns", "0")
                .property("source.1.name", "b.json")
                .property("source.1.error_bound_ns", errorNs);
    }

    @ParameterizedTest
    @CsvSource({"1.0, false", "0.75, false", "0.7, true", "0.5, true", "0.25, false"})
    void theDriversCountMustAgree(double counted, boolean passes) {
        TrustCheck check = check("utilisation-agrees", utilisation("0", counted, 5));

        assertThat(check.passed()).isEqualTo(passes);
        assertThat(check.withholds()).isEqualTo(!passes);
        assertThat(check.detail()).startsWith("of 5.00 s the driver counted device 0 busy for");
    }

    @Test
    void aBusyDeviceOfWhichNothingIsRecordedIsNoted() {
        TrustCheck check = check("utilisation-agrees", utilisation("1", 0.9, 5));

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).as("it may be another program's").isFalse();
        assertThat(check.detail())
                .startsWith(
                        "of 5.00 s the driver counted device 1 busy for 90.0%, recorded are 0.0%: kernels are missing");
    }

    @Test
    void aCountOfADeviceThatIsNotKnownByTheProgramsNumberIsNotCompared() {
        TimelineFixture fixture = utilisation("0", 0.5, 5);
        for (int s = 0; s <= 5; s++) {
            fixture.counter(DeviceCounters.UTILISATION + "{nvml_index=\"3\"}", s * 1e6, 0.99);
        }

        assertThat(check("utilisation-agrees", fixture).passed()).isTrue();
    }

    @Test
    void aCountOfAMomentIsNotCompared() {
        assertThat(check("utilisation-agrees", utilisation("0", 1, 1)).detail())
                .isEqualTo("no utilisation counted by the driver is recorded for long enough");
    }

    /** A device that is half busy, and so many seconds of the driver's count of some device. */
    private static TimelineFixture utilisation(String device, double ratio, int seconds) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int s = 0; s < 6; s++) {
            fixture.kernel("7", s * 1e6, s * 1e6 + 5e5, "gemm");
        }
        for (int s = 0; s <= seconds; s++) {
            fixture.counter(DeviceCounters.key(DeviceCounters.UTILISATION, device), s * 1e6, ratio);
        }
        return fixture;
    }

    @Test
    void theCallThatWaitsLongestIsNamed() {
        TimelineFixture sliced = TimelineFixture.blank()
                .kernel("7", 2, 10, "gemm")
                .launchedBy("main", 0, 1)
                .call("main", 12, 20, "hipStreamSynchronize")
                .call("main", 20, 100, "hipMemcpyWithStream");

        TrustCheck check = check("blocked-calls-have-device-work", sliced);

        assertWithholds(check, "synchronising calls wait 88.0 us (88.0% of the window)");
        assertThat(check.detail()).contains("one hipMemcpyWithStream alone 80.0 us");
        assertThat(check.remedy())
                .contains("`rocprofv3 --runtime-trace -- COMMAND`")
                .doesNotContain("nsys");
    }

    @Test
    void aRecorderThatDroppedRecordsNeedsMoreRoom() {
        assertThat(check(
                                "lost-events",
                                TimelineFixture.blank()
                                        .state("main", 0, 100, 50, 0, WaitReason.UNKNOWN)
                                        .eventsRead(10)
                                        .damaged(Reason.RECORDER_DROPPED, 5))
                        .remedy())
                .contains("`inferscope run --trace-size-mb 400 -- COMMAND`");
    }

    private static TimelineFixture overhead(int us) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "generate")
                .host(RowKind.PROFILER_OVERHEAD, "profiler", 20, 20 + us, "Buffer Flush");
    }

    private static void assertWithholds(TrustCheck check, String detail) {
        assertFailed(check, detail);
        assertThat(check.withholds()).isTrue();
    }

    private static void assertNoted(TrustCheck check, String detail) {
        assertFailed(check, detail);
        assertThat(check.withholds()).isFalse();
    }

    private static void assertFailed(TrustCheck check, String detail) {
        assertThat(check.detail()).startsWith(detail);
        assertThat(check.passed()).isFalse();
        assertThat(check.remedy()).containsPattern(COMMAND);
        assertThat(OURS.matcher(check.remedy()).results().map(found -> found.group()))
                .allSatisfy(command -> assertThat(MANUAL).content().contains(command));
    }

    private static TrustCheck check(String id, String art) {
        return check(id, TimelineFixture.drawing(art));
    }

    private static TrustCheck check(String id, TimelineFixture fixture) {
        return check(id, fixture.build());
    }

    private static TrustCheck check(String id, Timeline timeline) {
        return TrustGate.check(Analysis.of(timeline, Thresholds.defaults())).stream()
                .filter(check -> check.check().equals(id))
                .findFirst()
                .orElseThrow();
    }
}
