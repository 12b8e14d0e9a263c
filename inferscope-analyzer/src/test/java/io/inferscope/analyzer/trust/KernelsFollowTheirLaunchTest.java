package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;

import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class KernelsFollowTheirLaunchTest {
    @Test
    void aKernelBeforeItsLaunchWithholds() {
        assertWithholds(
                check("kernels-follow-their-launch", """
                        us           0         10        20
                        thread main  .....LL...LL........
                        stream 7     ..KKKKKKKK..kkkkkkkk
                        links in order
                        """),
                "1 of 2 operations start before their launch call, by up to 3.00 us");
    }

    @Test
    void oneEarlyKernelOfManyIsNoted() {
        assertNoted(
                check(
                        "kernels-follow-their-launch",
                        manyKernels().kernel("7", 1000, 1001, "early").launchedBy("main", 1010, 1011)),
                "1 of 200 operations start before their launch call, by up to 10.0 us");
    }

    private static TimelineFixture manyKernels() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 199; i++) {
            fixture.kernel("7", 5 * i + 2, 5 * i + 4, "gemm").launchedBy("main", 5 * i, 5 * i + 1);
        }
        return fixture;
    }

    @Test
    void aSkewOfMoreThanFivePercentWithholds() {
        assertWithholds(
                check(
                        "kernels-follow-their-launch",
                        manyKernels().kernel("7", 1000, 1001, "early").launchedBy("main", 1100, 1101)),
                "1 of 200 operations start before their launch call, by up to 100 us");
    }
}
