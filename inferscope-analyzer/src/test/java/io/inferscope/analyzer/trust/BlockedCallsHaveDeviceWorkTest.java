package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

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
}
