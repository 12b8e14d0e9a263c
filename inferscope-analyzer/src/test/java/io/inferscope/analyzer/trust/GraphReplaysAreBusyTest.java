package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.RealTraces;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GraphReplaysAreBusyTest {
    /** A graph that spans 15 ms with 0.4 ms of kernels: most of its nodes are missing. */
    @Test
    void aGraphThatStandsStillIsNotTrusted() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.graphLaunch("main", 0, 20);
        for (int i = 0; i < 8; i++) {
            fixture.kernel("7", 30 + 2_000 * i, 80 + 2_000 * i, "gemm").replayed();
        }

        assertWithholds(
                check("graph-replays-are-busy", fixture),
                "replays of graphs run 400 us of the 14.1 ms from their first to their last nodes");
    }

    @Test
    void nodesThatFollowOneAnotherPass() {
        assertThat(check("graph-replays-are-busy", """
                                us           0         10        20
                                thread main  GG..................
                                stream 7     ..KK..kk..KK..kk..KK
                                links 0-0 0-1 0-2 0-3 0-4
                                """).passed()).isTrue();
    }

    @Tag("traces")
    @Test
    void realReplaysAreBusy() throws Exception {
        List<String> failed = new ArrayList<>();
        for (Path trace : SharedTraces.forCostlyTests(SharedTraces.chrome())) {
            RealTraces.report(trace).trust().stream()
                    .filter(check -> check.check().equals("graph-replays-are-busy") && !check.passed())
                    .forEach(check -> failed.add(RealTraces.name(trace) + ": " + check.detail()));
        }
        assertThat(failed).isEmpty();
    }
}
