package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class StreamsDoNotOverlapTest {
    @Test
    void largeOverlapOnOneStreamWithholds() {
        assertWithholds(
                check("streams-do-not-overlap", """
                        us        0         10        20
                        stream 7  KKKKKKKKKK..........
                        stream 7  ......KKKKKKKKKK....
                        """),
                "1 of 2 operations overlap the one before them on their stream, 4.00 us in all (20.0% of busy time)");
    }

    @Test
    void smallOverlapOnOneStreamIsNoted() {
        assertNoted(
                check(
                        "streams-do-not-overlap",
                        TimelineFixture.blank().kernel("7", 0, 102, "producer").kernel("7", 98, 196, "consumer")),
                "1 of 2 operations overlap the one before them on their stream, 4.00 us in all (2.0% of busy time)");
    }

    @Test
    void streamsMayOverlapEachOther() {
        assertThat(check("streams-do-not-overlap", """
                                us        0         10        20
                                stream 7  KKKKKKKKKKKKKKKKKKKK
                                stream 8  ....HHHHHHHH........
                                """).detail())
                .isEqualTo("0 of 2 operations overlap the one before them on their stream");
    }

    /** Programmatic dependent launch: a node begins while the one before it ends. */
    @Test
    void neighboursOfOneReplayMayOverlapByMicroseconds() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.graphLaunch("main", 0, 20);
        for (int i = 0; i < 8; i++) {
            fixture.kernel("7", 30 + 8 * i, 40 + 8 * i, "gemm").replayed();
        }

        assertThat(check("streams-do-not-overlap", fixture).detail())
                .isEqualTo(
                        "0 of 8 operations overlap the one before them on their stream; by programmatic dependent launch"
                                + " 7 more nodes of graphs begin before the one before them ends, 14.0 us in all");
        assertThat(check("streams-do-not-overlap", fixture).passed()).isTrue();
    }

    @Test
    void aNodeThatEndsLongAfterItsSuccessorsIsNoDependentLaunch() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.graphLaunch("main", 0, 20);
        fixture.kernel("7", 30, 90, "gemm").replayed();
        fixture.kernel("7", 38, 46, "gemm").replayed();
        fixture.kernel("7", 48, 56, "gemm").replayed();

        assertThat(check("streams-do-not-overlap", fixture).passed()).isFalse();
    }

    @Test
    void copiesBetweenHostMemoryHaveTimesOfTheirOwn() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 0, 30, "producer")
                .operation(RowKind.MEMCPY_OTHER, "7", 10, 50, "Memcpy HtoH (Pinned -> Pageable)")
                .kernel("7", 40, 70, "consumer");
        assertThat(check("streams-do-not-overlap", fixture).detail())
                .isEqualTo("0 of 2 operations overlap the one before them on their stream");
    }
}
