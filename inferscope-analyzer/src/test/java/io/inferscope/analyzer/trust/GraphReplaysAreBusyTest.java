package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
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

    /** Under a tracer, nodes of HIP graphs are 3 us apart. */
    @Test
    void gapsOfTheTracerAreNotedAndNoWorkIsMissingInThem() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.graphLaunch("main", 0, 20);
        for (int i = 0; i < 50; i++) {
            fixture.kernel("7", 30 + 12 * i, 39 + 12 * i, "gemm").replayed();
        }
        fixture.call("main", 20, 640, "hipEventSynchronize");

        assertNoted(
                check("graph-replays-are-busy", fixture),
                "49 gaps between nodes of graph replays, 3.00 us each, add up to 147 us");
        assertThat(check("blocked-calls-have-device-work", fixture).passed()).isTrue();
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
