package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.SharedDevice;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class BlockedCallsHaveDeviceWorkTest {
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
    void waitsForTheTurnsOfOtherProcessesMissNothing() {
        TrustCheck blocked = check("blocked-calls-have-device-work", SharedDevice.takingTurns(2));

        assertThat(blocked.passed()).isTrue();
        assertThat(blocked.detail()).contains("and another 1.79 s while other processes use the device");
        assertThat(check("utilisation-agrees", SharedDevice.takingTurns(2)).passed())
                .isTrue();
    }

    @Test
    void withoutAnotherProcessTheWorkIsMissing() {
        assertWithholds(
                check("blocked-calls-have-device-work", SharedDevice.takingTurns(1)),
                "synchronising calls wait 1.79 s (59.8% of the window)");
        assertThat(check("utilisation-agrees", SharedDevice.takingTurns(1)).withholds())
                .isTrue();
    }
}
