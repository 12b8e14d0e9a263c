package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ColumnStore;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ContentsTest {
    /** A range in a range, 100 deep; a frame starts inside the 51st and, after the end of those inside it, in the 11th. */
    @Test
    void framesInsideNestedRangesAreFoundWithTwoLooksAtEachRow() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            fixture.scope("main", i, 1000 - i, "range " + i);
        }
        fixture.python("main", 50.5, 50.6, "app.py(1): early").python("main", 988, 989, "app.py(2): late");
        Timeline timeline = fixture.build();
        int track = timeline.tracks().stream()
                .filter(one -> one.kind() == TrackKind.THREAD)
                .findFirst()
                .orElseThrow()
                .id();
        AtomicInteger looks = new AtomicInteger();
        Contents contents = new Contents(
                timeline,
                track,
                row -> {
                    looks.incrementAndGet();
                    return timeline.kind(row) == RowKind.PYTHON_FUNCTION;
                },
                new ColumnStore(0),
                new ColumnStore(0));

        assertThat(contents.hasFrames()).isTrue();
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.kind(row) == RowKind.ANNOTATION) {
                int depth = Integer.parseInt(timeline.name(row).substring(6));
                assertThat(contents.hasFrame(row)).as(timeline.name(row)).isEqualTo(depth <= 50);
            }
        }
        assertThat(looks).hasValueLessThanOrEqualTo(2 * 102);
    }
}
