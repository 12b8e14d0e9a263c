package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.SOUND;
import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SynchronisationFollowsItsWorkTest {
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
    }

    @Test
    void aSkewInMostStepsWithholds() {
        TimelineFixture steps = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            double us = 1_000 * i;
            steps.kernel("7", us + 2, us + 90, "gemm")
                    .launchedBy("main", us, us + 1)
                    .call("main", us + 3, us + 30, "cudaDeviceSynchronize");
        }

        assertWithholds(
                check("synchronisation-follows-its-work", steps),
                "10 of 10 calls that wait for all of the device return before the work under way has ended, by up to 60.0 us");
    }

    @Test
    void workThatWasLaunchedBeforeACallCannotBeginAfterIt() {
        assertWithholds(
                check(
                        "synchronisation-follows-its-work",
                        TimelineFixture.blank()
                                .kernel("7", 80, 90, "gemm")
                                .launchedBy("main", 0, 1)
                                .call("main", 3, 50, "cudaDeviceSynchronize")),
                "1 of 1 calls that wait for all of the device return before the work under way has ended, by up to 30.0 us");
    }

    @Test
    void ofSeveralDevicesTheOneCountsOnWhichAThreadLaunches() {
        assertThat(check("synchronisation-follows-its-work", twoDevices()).passed())
                .isTrue();
        assertWithholds(
                check("synchronisation-follows-its-work", twoDevices().call("main", 3, 50, "cudaDeviceSynchronize")),
                "1 of 2 calls that wait for all of the device return before the work under way has ended, by up to 4.00 us");
    }

    private static TimelineFixture twoDevices() {
        return TimelineFixture.blank()
                .kernel("7", 2, 54, "gemm")
                .launchedBy("main", 0, 1)
                .device("1")
                .kernel("7", 2, 40, "gemm")
                .launchedBy("other", 0, 1)
                .call("other", 3, 50, "cudaDeviceSynchronize");
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
}
