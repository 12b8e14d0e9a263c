package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The nearest row of a kind around another, in shallow and in deep nesting. */
class EnclosingTest {
    private static final RowKind[] KINDS = {RowKind.OPERATOR, RowKind.PYTHON_FUNCTION, RowKind.ANNOTATION};

    @Test
    void isTheFirstOfItsKindOnTheWayOutwards() {
        Random random = new Random(4);
        TimelineBuilder builder = new TimelineBuilder();
        int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
        int other = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "2");
        for (int depth = 0; depth < 200; depth++) {
            RowKind kind = depth > 20 && depth < 150 ? RowKind.ANNOTATION : KINDS[random.nextInt(KINDS.length)];
            builder.row(kind, thread, depth, 1_000 - depth, builder.name("row"));
            builder.row(kind, other, 10L * depth, 10L * depth + 5, builder.name("row"));
        }
        Timeline timeline = builder.build("test");

        for (int row = 0; row < timeline.rowCount(); row++) {
            for (RowKind kind : KINDS) {
                int expected = timeline.parent(row);
                while (expected >= 0 && timeline.kind(expected) != kind) {
                    expected = timeline.parent(expected);
                }
                assertThat(timeline.enclosing(row, kind)).isEqualTo(expected);
            }
        }
    }

    @Test
    void tracksAreFoundByTheirKeys() {
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        int thread = builder.track(TrackKind.THREAD, process, "7");
        builder.row(RowKind.OPERATOR, thread, 0, 1, builder.name("row"));
        Timeline timeline = builder.build("test");

        int found = timeline.knownTrack(TrackKind.PROCESS, -1, "1");
        assertThat(timeline.tracks().get(found).kind()).isEqualTo(TrackKind.PROCESS);
        assertThat(timeline.tracks()
                        .get(timeline.knownTrack(TrackKind.THREAD, found, "7"))
                        .key())
                .isEqualTo("7");
        assertThat(timeline.knownTrack(TrackKind.STREAM, found, "7")).isEqualTo(-1);
        assertThat(timeline.knownTrack(TrackKind.THREAD, found, "8")).isEqualTo(-1);
    }
}
