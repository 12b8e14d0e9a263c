package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.collectives.Collectives;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class LateRankRuleTest {
    private final Rule rule = new LateRankRule();

    @Test
    void theGpuThatComputesLongerIsNamed() {
        Finding finding = found(rule, """
                us                 0         10        20
                device 0 stream 7  KKKKNNNNNNNNNNNNKKKK
                device 1 stream 7  KKKKKKKKKKKKKKNNKKKK
                """);

        assertThat(finding.costNs()).isEqualTo(us(10));
        assertThat(finding.claim())
                .isEqualTo(
                        "GPU 0 waits in collectives for others to arrive: 10.0 us of 12.0 us (83.3%), 10.0 us of it in the"
                                + " span under no compute, 50.0%. It waits most for GPU 1, the last in 1 of 1 collectives. What"
                                + " that GPU spends more time on than the first to arrive: GPU compute 10.0 us.");
        assertThat(finding.advice()).startsWith("Look at GPU 1, not at the GPUs that wait for it.");
    }

    /** Both compute for 4 us between the collectives; GPU 1 is idle for 6 us before, and computes while GPU 0 waits. */
    @Test
    void whatBothDoDoesNotMakeOneLate() {
        Finding finding = found(rule, """
                us                 0         10        20
                device 0 stream 7  KKKKNNKKKKNNNNNNNNKK
                device 1 stream 7  KKKKNN......KKKKNNKK
                """);

        assertThat(finding.claim())
                .endsWith("What that GPU spends more time on than the first to arrive: unattributed 6.00 us.");
        assertThat(finding.advice()).endsWith("record the host side of that rank too.");
    }

    @Test
    void theHeadlineIsAboutTheGpuThatOthersWaitFor() {
        Timeline timeline = TimelineFixture.draw("""
                us                 0         10        20
                device 0 stream 7  KKKKKKKKNNNNNNNNNNNN
                device 1 stream 7  KKKK..........KKKKNN
                """);

        assertThat(Analysis.of(timeline, Thresholds.defaults())
                        .headline()
                        .orElseThrow()
                        .id())
                .isEqualTo("1");
        assertThat(found(new GpuIdleRule(), timeline).claim())
                .endsWith("Other GPUs wait for it in collectives: see late-rank.");
    }

    /** The late rank captured a graph long before it was recorded. */
    @Test
    void aRecordingOfARankDoesNotBeginWithItsCaptures() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.device("rank 0: 0").kernel("7", 0, 4, "gemm").kernel("7", 4, 16, "ncclDevKernel_AllReduce");
        fixture.device("rank 1: 0").kernel("7", 10, 14, "gemm").kernel("7", 14, 16, "ncclDevKernel_AllReduce");
        TimelineBuilder builder = fixture.builder();
        int process = builder.track(TrackKind.PROCESS, -1, "rank 1: 1");
        int captured = builder.track(TrackKind.CAPTURE, process, "7 captured before");
        builder.row(RowKind.OPERATOR, captured, us(-900), us(-800), builder.name("aten::mm"));
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        Collectives collectives = Collectives.of(analysis);
        DeviceActivity late = analysis.devices().get(1);
        assertThat(collectives.lateness(analysis, late).unrecordedNs()).isEqualTo(us(6));
    }

    @Test
    void aSlowLinkIsNotLateness() {
        assertThat(clean(rule, """
                        us                 0         10        20
                        device 0 stream 7  KKKKNNNNNNNNNNNNKKKK
                        device 1 stream 7  KKKKNNNNNNNNNNNNKKKK
                        """)).isEqualTo("waiting for the last GPU takes at most 0.0% of the span");
    }

    @Test
    void communicationThatIsWaitingIsReportedOnce() {
        assertThat(clean(new CommunicationExposedRule(), """
                        us                 0         10        20
                        device 0 stream 7  KKKKNNNNNNNNNNNNKKKK
                        device 1 stream 7  ..............NN....
                        """))
                .isEqualTo("most of it is waiting for the last GPU to arrive: see late-rank");
    }

    @Test
    void saysNothingOfOneGpu() {
        assertThat(notApplicable(rule, """
                us        0         10        20
                stream 7  KKKKNNNNNNNNNNNNKKKK
                """)).isEqualTo("no collective of several GPUs is in this recording");
    }
}
