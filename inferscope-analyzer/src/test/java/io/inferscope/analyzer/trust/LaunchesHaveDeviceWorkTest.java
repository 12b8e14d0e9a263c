package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class LaunchesHaveDeviceWorkTest {
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

    /** Ten operations back to back, each launched {@code delayUs} before it starts, of a second cut out of a longer run. */
    private static TimelineFixture slice(double delayUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.kernel("7", 10 * i, 10 * i + 10, "gemm");
            if (10 * i >= delayUs) {
                fixture.launchedBy("main", 10 * i - delayUs, 10 * i - delayUs + 1);
            }
        }
        for (double atUs = 100 - delayUs; atUs < 100; atUs += 10) {
            fixture.call("main", atUs, atUs + 1, "cudaLaunchKernel");
        }
        return fixture;
    }

    @Test
    void whatStartsAfterTheRecordingEndsIsNotLost() {
        TrustCheck launches = check("launches-have-device-work", slice(60));

        assertThat(launches.passed()).isTrue();
        assertThat(launches.detail())
                .isEqualTo(
                        "0 of 10 launch and copy calls have no device operation; that of 6 more starts after the recording ends");
        assertNoted(
                check("operations-have-launches", slice(60)),
                "0 of 10 device operations have no launch in the trace; 6 more were launched before the recording begins");
    }

    @Test
    void whatShouldHaveStartedByTheEndIsLost() {
        TimelineFixture lost = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            lost.call("main", 10 * i, 10 * i + 1, "cudaLaunchKernel");
        }
        for (int i = 0; i < 4; i++) {
            lost.kernel("7", 10 * i + 2, 10 * i + 8, "gemm").linked(i, 10 + i);
        }

        assertWithholds(
                check("launches-have-device-work", lost), "6 of 10 launch and copy calls have no device operation:");
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

    private static TimelineFixture capturing() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.kernel("7", 10, 20, "gemm").launchedBy("main", 1, 2);
        fixture.call("main", 3, 4, "cudaStreamBeginCapture");
        for (int i = 0; i < 5; i++) {
            fixture.call("main", 4 + i, 5 + i, "cudaLaunchKernel");
        }
        return fixture.call("main", 10, 11, "cudaStreamEndCapture");
    }

    @Test
    void workThatNothingJoinsToItsLaunchIsNotLost() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 4; i++) {
            fixture.call("main", 10 * i, 10 * i + 1, "cudaLaunchKernel").kernel("MME", 10 * i + 2, 10 * i + 8, "gemm");
        }

        assertWithholds(
                check("launches-have-device-work", fixture),
                "nothing in the recording joins its 4 launch and copy calls to the work of the device");
    }

    @Test
    void whatIsCapturedIntoAGraphIsNotLost() {
        TimelineFixture fixture = capturing();
        fixture.graphLaunch("main", 20, 21).kernel("7", 22, 30, "gemm").replayed();

        TrustCheck launches = check("launches-have-device-work", fixture);

        assertThat(launches.passed()).isTrue();
        assertThat(launches.detail()).contains("; 5 more were captured into graphs");
    }

    @Test
    void aCaptureWithoutItsReplayIsCalledOne() {
        assertWithholds(
                check("launches-have-device-work", capturing()),
                "5 of 6 launch and copy calls were captured into graphs, which run nothing, and no graph is replayed in this recording");
    }

    @Test
    void aHostFunctionInAStreamIsNoWorkOfTheDevice() {
        TimelineFixture fixture =
                TimelineFixture.blank().kernel("7", 4, 8, "gemm").launchedBy("main", 0, 1);
        for (int i = 0; i < 10; i++) {
            fixture.call("main", 10 + i, 10.5 + i, i % 2 == 0 ? "cuLaunchHostFunc" : "cudaLaunchHostFunc_v10000");
        }
        assertThat(check("launches-have-device-work", fixture).detail())
                .isEqualTo("0 of 1 launch and copy calls have no device operation");
    }
}
