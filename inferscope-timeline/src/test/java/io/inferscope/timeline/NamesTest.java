package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Reason;
import org.junit.jupiter.api.Test;

/** Endless different names cost neither all memory nor the recording. */
class NamesTest {
    @Test
    void namesBeyondTheRoomAreOneAndCounted() {
        TimelineBuilder builder = new TimelineBuilder(100);
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        for (int i = 0; i < 1_000; i++) {
            builder.row(RowKind.OPERATOR, thread, i, i + 1, builder.name("operator " + i));
            builder.row(RowKind.OPERATOR, thread, i, i + 1, builder.name("operator 7"));
        }

        Timeline timeline = builder.build("test");

        assertThat(timeline.rowCount()).isEqualTo(2_000);
        assertThat(timeline.nameCount()).isEqualTo(101);
        assertThat(timeline.name(0)).isEqualTo("operator 0");
        assertThat(timeline.name(1_999)).isIn("operator 7", "(name left out)");
        assertThat(timeline.importStats().count(Reason.NAME_LEFT_OUT)).isEqualTo(901);
    }

    @Test
    void aNameKeepsItsIdAmongManyOthers() {
        Names names = new Names(50_000);
        for (int pass = 0; pass < 3; pass++) {
            for (int i = 0; i < 10_000; i++) {
                String name = "operator " + i;
                assertThat(names.intern(name)).isEqualTo(i + 1);
                assertThat(names.intern(name)).isEqualTo(i + 1);
            }
        }
        assertThat(names.leftOut()).isZero();
    }

    @Test
    void aSmallHeapHasRoomForManyNames() {
        assertThat(Names.mostInMemory()).isGreaterThanOrEqualTo(50_000);
    }
}
