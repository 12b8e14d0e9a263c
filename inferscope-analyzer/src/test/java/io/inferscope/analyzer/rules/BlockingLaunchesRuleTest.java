package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.analyzer.rules.RuleVerdicts.time;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class BlockingLaunchesRuleTest {
    private static final int LAUNCHES = 40;

    private final Rule rule = new BlockingLaunchesRule();

    /**
     * Kernels of 50 us, every 100 us, each launched 4 us before it starts by a call that ends so long after it; the host
     * dispatches the next one from then on.
     */
    private static TimelineFixture launching(double endsAfterUs) {
        return launching(50, endsAfterUs);
    }

    private static TimelineFixture launching(double kernelUs, double endsAfterUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < LAUNCHES; i++) {
            double atUs = 100.0 * i;
            double endUs = atUs + 4 + kernelUs + endsAfterUs;
            fixture.kernel("7", atUs + 4, atUs + 4 + kernelUs, "gemm").launchedBy("main", atUs, endUs);
            fixture.operator("main", endUs, atUs + 100, "aten::add");
        }
        return fixture;
    }

    @Test
    void whatTheHostDoesBetweenLaunchesThatWaitIsTheCost() {
        Finding finding = found(rule, launching(6));

        assertThat(finding.claim())
                .isEqualTo(
                        "Each launch waits for its kernel (40 of 40 launches of kernels of 10.0 us or more do), so nothing is queued: while the call returns and"
                                + " the host prepares the next launch, the GPU is idle for 1.95 ms (49.4% of its span).");
        assertThat(finding.costNs()).isEqualTo(us((LAUNCHES - 1) * 50));
        assertThat(finding.evidence())
                .contains(
                        count("launch calls that wait", LAUNCHES),
                        time("time in which they wait for the working device", us(LAUNCHES * 50)),
                        time("idle time in which they return", us((LAUNCHES - 1) * 6)));
        assertThat(finding.advice()).startsWith("Unset `CUDA_LAUNCH_BLOCKING`");
    }

    /** ONNX Runtime records no calls: an operator stands for them, and lasts as long as it likes. */
    @Test
    void anOperatorThatStandsForItsLaunchDoesNotWait() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < LAUNCHES; i++) {
            fixture.operator("main", 100 * i, 100 * i + 90, "Conv");
            int operator = fixture.lastRow();
            fixture.kernel("7", 100 * i + 4, 100 * i + 54, "gemm").linked(operator, fixture.lastRow());
        }

        assertThat(notApplicable(rule, fixture)).startsWith("too few launches");
    }

    /** The host needs 44 us for each launch: 4 us up to the kernel, and 40 us after the call. The kernels take 50 us. */
    @Test
    void withoutTheWaitsTheKernelsFollowEachOther() {
        Finding.Gain gain = found(rule, launching(6)).gain();

        assertThat(gain).isNotNull();
        assertThat(gain.lowNs()).isLessThanOrEqualTo(us((LAUNCHES - 1) * 50)).isGreaterThan(us((LAUNCHES - 1) * 44));
        assertThat(gain.highNs()).isEqualTo(us((LAUNCHES - 1) * 50));
    }

    /** Each kernel is read back at once, as by {@code .item()}: its result is needed for the next launch. */
    @Test
    void aCallThatSynchronisesWaitsInPlaceOfTheLaunch() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < LAUNCHES; i++) {
            double atUs = 100.0 * i;
            fixture.kernel("7", atUs + 4, atUs + 54, "gemm").launchedBy("main", atUs, atUs + 60);
            fixture.call("main", atUs + 61, atUs + 63, "cudaStreamSynchronize");
        }

        assertThat(found(rule, fixture).gain()).isNull();
    }

    @Test
    void replaysOfGraphsAreLaunchesToo() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < LAUNCHES; i++) {
            double atUs = 100.0 * i;
            fixture.graphLaunch("main", atUs, atUs + 70);
            for (int k = 0; k < 8; k++) {
                fixture.kernel("7", atUs + 4 + 7 * k, atUs + 10 + 7 * k, "gemm").replayed();
            }
        }

        assertThat(found(rule, fixture).claim()).contains("(40 of 40 launches");
    }

    @Test
    void launchesThatReturnAtOnceAreClean() {
        assertThat(clean(rule, launching(-48)))
                .isEqualTo("0 of 40 launches of kernels of 10.0 us or more wait for them");
    }

    /** The wait is another call's: blocking-sync and sync-per-step are about that. */
    @Test
    void aSynchronisationAfterEachLaunchIsNone() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < LAUNCHES; i++) {
            double atUs = 100.0 * i;
            fixture.kernel("7", atUs + 4, atUs + 54, "gemm").launchedBy("main", atUs, atUs + 5);
            fixture.call("main", atUs + 6, atUs + 60, "cudaDeviceSynchronize");
        }

        assertThat(clean(rule, fixture)).startsWith("0 of 36 launches"); // Of the steady state.
    }

    /** Calls of 9 us, after which kernels of 3 us have ended: as with a profiler that makes launches slow. */
    @Test
    void shortKernelsShowNothing() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < LAUNCHES; i++) {
            fixture.kernel("7", 20 * i + 5, 20 * i + 8, "add").launchedBy("main", 20 * i, 20 * i + 9);
        }

        assertThat(notApplicable(rule, fixture))
                .isEqualTo("too few launches of kernels of 10.0 us or more are recorded to judge whether they wait");
    }

    @Test
    void kernelsOfAnyLengthCountWhereTheEnvironmentSaysIt() {
        TimelineFixture fixture = TimelineFixture.blank().property(TimelineInfo.LAUNCH_BLOCKING, "HIP_LAUNCH_BLOCKING");
        for (int i = 0; i < LAUNCHES; i++) {
            fixture.kernel("7", 20 * i + 5, 20 * i + 8, "add").launchedBy("main", 20 * i, 20 * i + 9);
        }

        assertThat(found(rule, fixture).claim())
                .startsWith("Each launch waits for its kernel (40 of 40 launches do),")
                .endsWith(" The program was started with `HIP_LAUNCH_BLOCKING`.");
    }

    @Test
    void aBusyGpuLosesNothing() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < LAUNCHES; i++) {
            double atUs = 1000.0 * i;
            fixture.kernel("7", atUs + 4, atUs + 990, "gemm").launchedBy("main", atUs, atUs + 996);
        }

        assertThat(clean(rule, fixture))
                .isEqualTo("each launch waits for its kernel; the GPU is idle because of that for 1.4% of the span");
    }

    @Test
    void rulesAboutLaunchesLeaveItToThisOne() {
        Timeline waiting = launching(6).build();
        String told = "each launch call waits for its kernel: see blocking-launches";

        assertThat(clean(new LaunchBoundRule(), waiting))
                .isEqualTo(
                        "1.95 ms of the 1.95 ms of dispatching and launching are there because launches wait: see blocking-launches");
        assertThat(clean(CallsRule.SLOW_LAUNCHES, waiting)).isEqualTo(told);
        assertThat(clean(CallsRule.SHORT_KERNELS, launching(30, 6))).isEqualTo(told);
    }
}
