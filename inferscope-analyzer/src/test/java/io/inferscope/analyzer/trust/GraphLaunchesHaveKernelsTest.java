package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GraphLaunchesHaveKernelsTest {
    @Test
    void graphLaunchesWithoutReplayedKernelsWithhold() {
        assertWithholds(check("graph-launches-have-kernels", """
                        us           0         10        20
                        thread main  GG........GG........
                        stream 7     ..KKKKKKKK..........
                        links 0-0
                        """), "1 of 2 graph launches have no replayed kernel");
    }

    @Test
    void graphLaunchesWithReplayedKernelsPass() {
        assertThat(check("graph-launches-have-kernels", """
                                us           0         10        20
                                thread main  GG..................
                                stream 7     ..KKKKkkkk..........
                                links 0-0 0-1
                                """).detail())
                .isEqualTo("0 of 1 graph launches have no replayed kernel");
    }
}
