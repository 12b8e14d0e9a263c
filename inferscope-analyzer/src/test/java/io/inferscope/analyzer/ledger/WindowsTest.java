package io.inferscope.analyzer.ledger;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** Where the window begins and ends. */
class WindowsTest {
    private static Stretch window(TimelineFixture fixture) {
        return new Analyzer().analyze(fixture.build(), "drawing").window();
    }

    private static TimelineFixture range(TimelineFixture fixture, double startUs, double endUs) {
        TimelineBuilder builder = fixture.builder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        int lane = builder.track(TrackKind.REQUEST, process, "async COLL 1");
        builder.row(RowKind.ANNOTATION, lane, us(startUs), us(endUs), builder.name("AllReduce"));
        return fixture;
    }

    @Test
    void anAsynchronousRangeFarFromTheProgramsWorkIsNotPartOfIt() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 1_000_000, 1_000_090, "step")
                .kernel("7", 1_000_020, 1_000_100, "gemm")
                .launchedBy("main", 1_000_010, 1_000_012);

        assertThat(window(range(range(fixture, 0, 10), 1_000_050, 2_000_000)))
                .isEqualTo(new Stretch(us(1_000_000), us(1_000_100)));
    }

    @Test
    void asynchronousRangesAloneAreTheWindow() {
        assertThat(window(range(range(TimelineFixture.blank(), 10, 30), 20, 50)))
                .isEqualTo(new Stretch(us(10), us(50)));
    }
}
