package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.SOUND;
import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LostEventsTest {
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

    /** Writers that put device work first: what is left has no launches, which is no reason to record them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileCutBeforeAnyLaunchWithholds(boolean launched) {
        TimelineFixture fixture = TimelineFixture.blank().kernel("7", 10, 20, "gemm");
        TrustCheck check = check(
                "lost-events",
                (launched ? fixture.launchedBy("main", 1, 2) : fixture)
                        .eventsRead(10)
                        .damaged(Reason.TRUNCATED, 1));

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).isEqualTo(!launched);
        assertThat(check.detail().contains("the calls that launched the device work may have been lost"))
                .isEqualTo(!launched);
    }

    @ParameterizedTest
    @CsvSource({"5, false", "900, true"})
    void bytesThatCouldNotBeReadAreLostHoweverFewEventsTheyCount(long lostBytes, boolean withholds) {
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        builder.row(RowKind.OPERATOR, thread, 0, 10, builder.name("aten::addmm"));
        builder.stats().event();
        builder.stats().bytes(1000);
        builder.stats().lost(lostBytes);
        builder.stats().count(Reason.MALFORMED, 100, "");

        TrustCheck check = check("lost-events", builder.build("speedscope"));

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).isEqualTo(withholds);
        assertThat(check.detail()).contains(withholds ? "90.0% of the input, could not be read" : "0.5%");
    }

    @Test
    void whatFollowsTheDocumentIsNotedHoweverManyEventsPrecedeIt() {
        assertNoted(
                check(
                        "lost-events",
                        TimelineFixture.drawing(SOUND).eventsRead(1_000_000).damaged(Reason.TRAILING_DATA, 1)),
                "1 dropped and 0 repaired of 1000000 events read");
        assertThat(check("lost-events", TimelineFixture.drawing(SOUND).damaged(Reason.TRAILING_DATA, 1))
                        .remedy())
                .contains("give each a file of its own");
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
    void aStretchThatIsOnlyNotedHidesNoLossThatWithholds() {
        TrustCheck dropped = check(
                "lost-events",
                TimelineFixture.drawing(SOUND)
                        .property("inferscope.device_unrecorded_ns", "100")
                        .eventsRead(100)
                        .damaged(Reason.RECORDER_DROPPED, 2));
        TrustCheck contradicting = check(
                "lost-events",
                TimelineFixture.drawing(SOUND)
                        .property("inferscope.device_unrecorded_ns", "100")
                        .property(TimelineInfo.CONTRADICTIONS, "5 of 10 records"));

        assertThat(dropped.withholds()).isTrue();
        assertThat(dropped.detail()).contains("2 dropped", "what looks idle there may be busy");
        assertThat(dropped.remedy()).contains("with a larger buffer");
        assertThat(contradicting.withholds()).isTrue();
        assertThat(contradicting.detail()).contains("5 of 10 records", "what looks idle there may be busy");
    }

    @Test
    void aCutWithoutAnInstantThatCanBeReadIsNoted() {
        assertNoted(
                check(
                        "lost-events",
                        TimelineFixture.drawing(SOUND)
                                .eventsRead(10)
                                .damaged(Reason.TRUNCATED, 1)
                                .property(TimelineInfo.CUT, "soon")),
                "1 dropped and 0 repaired of 10 events read");
    }

    @ParameterizedTest
    @CsvSource({"0-9223372036854775807, false", "5000-9223372036854775807, true", "0-5000, true"})
    void timeOutsideTheWindowsThatWereAskedForIsNotTakenForIdleTime(String windows, boolean withholds) {
        TrustCheck check = check(
                "lost-events", TimelineFixture.drawing(SOUND).property("inferscope.device_windows_unix_ns", windows));

        assertThat(check.withholds()).isEqualTo(withholds);
        assertThat(check.remedy().contains("--judge gpu-window-1")).isEqualTo(withholds);
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
    void aRecorderThatDroppedRecordsNeedsMoreRoom() {
        assertThat(remedyAfter(Reason.RECORDER_DROPPED)).contains("`inferscope run --trace-size-mb 400 -- COMMAND`");
    }

    /** More room for the recorder is no help where the disk has none. */
    @Test
    void aFullDiskNeedsAnotherDisk() {
        assertThat(remedyAfter(Reason.DISK_FULL))
                .contains("free space", "--trace /ELSEWHERE/")
                .doesNotContain("size-mb");
        assertThat(remedyAfter(Reason.CANNOT_GROW)).contains("ulimit -f").doesNotContain("size-mb");
    }

    private static String remedyAfter(Reason reason) {
        return check(
                        "lost-events",
                        TimelineFixture.blank()
                                .state("main", 0, 100, 50, 0, WaitReason.UNKNOWN)
                                .eventsRead(10)
                                .damaged(reason, 5))
                .remedy();
    }

    @ParameterizedTest
    @CsvSource({"3000000, true", "900000, false"})
    void aHoleThatIsMostOfTheWindowWithholds(double holeUs, boolean withholds) {
        TimelineFixture windows = TimelineFixture.blank()
                .kernel("7", 0, 400_000, "gemm")
                .launchedBy("main", 0, 5)
                .kernel("7", 400_000 + holeUs, 800_000 + holeUs, "gemm")
                .launchedBy("main", 399_990 + holeUs, 399_995 + holeUs);

        TrustCheck check = check("lost-events", windows);

        assertThat(check.passed()).isEqualTo(!withholds);
        if (withholds) {
            assertWithholds(check, "for 2.99 s in one piece");
        }
    }

    @Test
    void timeInARowThatSpansTheIdleTimeIsNoHole() {
        TimelineFixture program = TimelineFixture.blank()
                .scope("main", 0, 4_000_000, "serve")
                .kernel("7", 0, 1000, "gemm")
                .kernel("7", 3_999_000, 4_000_000, "gemm");

        assertThat(check("lost-events", program).passed()).isTrue();
    }
}
