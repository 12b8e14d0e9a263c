package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProfilerIsSmallTest {
    @Test
    void aProfilerOfFifteenPercentWithholds() {
        assertWithholds(check("profiler-is-small", overhead(15)), "the profiler's own recorded work is 15.0%");
    }

    @Test
    void aProfilerOfFivePercentIsNoted() {
        assertNoted(check("profiler-is-small", overhead(5)), "the profiler's own recorded work is 5.0%");
    }

    /** As Nsight Systems does before the first operation. */
    @Test
    void aProfilerThatStartsBeforeTheSpanIsNoted() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 50, "start")
                .host(RowKind.PROFILER_OVERHEAD, "profiler", 0, 50, "CUDA profiling initialization")
                .kernel("7", 60, 80, "gemm")
                .launchedBy("main", 55, 58)
                .kernel("7", 80, 100, "gemm")
                .launchedBy("main", 58, 59);

        assertNoted(
                check("profiler-is-small", fixture),
                "the profiler's own recorded work is 50.0% of the window, 0.0% of the judged part");
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

    /** The probe's delays are known as a sum of the whole run; a window of a tenth has about a tenth of them. */
    @ParameterizedTest
    @CsvSource({"40, true", "90, false"})
    void ofAPartOfARunItsShareOfTheDelayCounts(int heldUpUs, boolean passes) {
        TimelineFixture held = TimelineFixture.blank()
                .scope("main", 0, 100, "generate")
                .property("inferscope.part_of_ns", Long.toString(us(1000)));
        held.builder().overhead(new RecorderOverhead("probe", 0, us(heldUpUs), 1));
        TrustCheck check = check("profiler-is-small", held);
        assertThat(check.passed()).isEqualTo(passes);
        assertThat(check.detail())
                .isEqualTo("recording held the program up for " + heldUpUs / 10 + ".0% of the window");
    }

    @Test
    void whereShapesHeldTheProgramUpThatIsSaid() {
        TimelineFixture held = TimelineFixture.blank().scope("main", 0, 100, "generate");
        held.builder().overhead(new RecorderOverhead("python-probe", 0, us(9), 1));
        held.builder().overhead(new RecorderOverhead("shapes", 0, us(20), 1));

        assertWithholds(check("profiler-is-small", held), "recording shapes held the program up for 20.0%");
        assertThat(check("profiler-is-small", held).remedy()).contains("record times without shapes");
    }

    @ParameterizedTest
    @CsvSource({"30, recording operators held the program up for 35.0%", "45, the profiler's own recorded work is 45.0%"
    })
    void whereWindowsOfOperatorsHeldTheProgramUpShorterOnesHelp(int recordedUs, String detail) {
        TimelineFixture held = overhead(recordedUs);
        held.builder().overhead(new RecorderOverhead("torch.profiler windows", 0, us(35), 3));

        assertWithholds(check("profiler-is-small", held), detail);
        assertThat(check("profiler-is-small", held).remedy())
                .contains("--ops 1x0.1")
                .doesNotContain("--no-probe");
    }

    @Test
    void whatTheAgentTakesAtBothEndsIsNamedInTheLedgerAndSpoilsNothing() {
        TimelineFixture held = TimelineFixture.blank().scope("main", 0, 100, "generate");
        held.builder().overhead(new RecorderOverhead("cuda-agent", 0, us(40), 1));

        assertThat(check("profiler-is-small", held).passed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 30})
    void aProfilerInTheProgramsOwnSamplesIsNoted(int us) {
        TimelineFixture sampled = TimelineFixture.blank()
                .sample("main", 0, 100 - us, "serve.py(7): step")
                .sample("main", 100 - us, 100, "serve.py(9): main", "torch/profiler/profiler.py(800): step");

        assertNoted(
                check("profiler-is-small", sampled), "the profiler's own recorded work is " + us + ".0% of the window");
    }

    @Test
    void moreInSamplesThanOnTheRecordersClockIsNoted() {
        assertNoted(
                check("profiler-is-small", sampledRecorder(14, 1)),
                "samples show 14.0% of the window as the recorder's work, its own clock only 1.0%");
        assertThat(check("profiler-is-small", sampledRecorder(14, 10)).detail()).contains("own recorded work is 14.0%");
        assertThat(check("profiler-is-small", sampledRecorder(1, 2)).passed()).isTrue();
    }

    private static TimelineFixture sampledRecorder(int us, int heldUpUs) {
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 100 - us, "serve.py(7): step")
                .sample("main", 100 - us, 100, "serve.py(7): step", "inferscope/_handover.py(70): give");
        timeline.builder().overhead(new RecorderOverhead("python-probe", 0, us(heldUpUs), 9));
        return timeline;
    }

    private static TimelineFixture overhead(int us) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "generate")
                .host(RowKind.PROFILER_OVERHEAD, "profiler", 20, 20 + us, "Buffer Flush");
    }
}
