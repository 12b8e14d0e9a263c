package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class StepsHaveDeviceWorkTest {
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

    /** Twenty passes of a model, each with a launch; the work of one of them is missing. */
    private static TimelineFixture passes(boolean launches) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            double atUs = 100 * i;
            fixture.scope("main", atUs, atUs + 90, "decode_step");
            if (i != 10) {
                fixture.kernel("7", atUs + 20, atUs + 80, "gemm").launchedBy("main", atUs + 10, atUs + 12);
            } else if (launches) {
                fixture.call("main", atUs + 10, atUs + 12, "cudaLaunchKernel");
            }
        }
        return fixture;
    }

    @Test
    void aStepOfAnySortThatLaunchesWorkMustHaveSome() {
        assertNoted(check("steps-have-device-work", passes(true)), "1 of 20 steps have no device work");
    }

    @Test
    void aStepThatLaunchesNothingNeedsNoDeviceWork() {
        assertThat(check("steps-have-device-work", passes(false)).detail()).startsWith("0 of ");
    }

    @Test
    void aProgramWithoutADeviceIsAskedForNone() {
        assertThat(check("steps-have-device-work", TimelineFixture.blank().scope("main", 0, 90, "ProfilerStep#3"))
                        .detail())
                .isEqualTo("no device operation is recorded");
    }
}
