package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class FirstOperationStartsAtOnceTest {
    @Test
    void withoutALaunchNothingIsSaidOfIt() {
        assertThat(check(
                                "first-operation-starts-at-once",
                                TimelineFixture.blank().kernel("7", 0, 10, "gemm"))
                        .detail())
                .isEqualTo("the launch of the first device operation is not recorded");
    }

    @Test
    void aFirstOperationThatWaitsForNothingRecordedMeansThatEarlierWorkIsMissing() {
        TrustCheck check = check(
                "first-operation-starts-at-once",
                TimelineFixture.blank()
                        .kernel("7", 2_000, 2_100, "gemm")
                        .launchedBy("main", 0, 10)
                        .kernel("7", 9_000, 9_100, "gemm")
                        .launchedBy("main", 8_980, 8_990));

        assertThat(check.passed()).isFalse();
        assertThat(check.withholds()).isFalse();
        assertThat(check.detail()).contains("1.99 ms after its launch call returned", "earlier device work is missing");
    }

    @Test
    void mostOfTheWindowBeforeItWithholds() {
        TrustCheck check = check(
                "first-operation-starts-at-once",
                TimelineFixture.blank().kernel("7", 2_000, 2_100, "gemm").launchedBy("main", 0, 10));

        assertThat(check.withholds()).isTrue();
    }

    @Test
    void aDeviceThatBeginsAfterAllCallsHaveReturnedHasAnotherClock() {
        TimelineFixture inNanoseconds = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            inNanoseconds
                    .kernel("7", 20_000 + i * 10_000, 29_900 + i * 10_000, "gemm")
                    .launchedBy("main", 20 + i * 10, 25 + i * 10);
        }
        TrustCheck check = check("first-operation-starts-at-once", inNanoseconds);

        assertThat(check.withholds()).isTrue();
        assertThat(check.detail()).contains("different clocks or units");
    }

    @Test
    void aDeviceMayWaitForAnother() {
        assertThat(check(
                                "first-operation-starts-at-once",
                                TimelineFixture.blank()
                                        .kernel("7", 20, 4_000, "gemm")
                                        .launchedBy("main", 0, 10)
                                        .device("1")
                                        .kernel("7", 4_010, 8_000, "gemm")
                                        .launchedBy("main", 12, 20)
                                        .call("main", 30, 8_010, "cudaDeviceSynchronize"))
                        .passed())
                .isTrue();
    }
}
