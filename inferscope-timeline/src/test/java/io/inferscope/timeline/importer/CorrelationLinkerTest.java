package io.inferscope.timeline.importer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CorrelationLinkerTest {
    private final TimelineBuilder builder = new TimelineBuilder();
    private final CorrelationLinker linker = new CorrelationLinker(builder::startNsAt);
    private final int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");
    private final int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "7");

    private void add(RowKind kind, String name, long startNs, long process, long correlation) {
        int track = kind.isApiCall() ? thread : stream;
        linker.add(builder.row(kind, track, startNs, startNs + 5, builder.name(name)), kind, process, correlation);
    }

    /** {@code call->operation} of every link, in the order of the operations. */
    private String linked() {
        linker.link(builder::link);
        Timeline timeline = builder.build("test");
        Links links = timeline.links();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < links.count(); i++) {
            text.append(timeline.name(links.fromRow(i)))
                    .append("->")
                    .append(timeline.name(links.toRow(i)))
                    .append(links.confidencePercent(i) == 100 ? " " : "? ");
        }
        return text.toString().trim();
    }

    @Test
    void equalIdsOfTwoProcessesAreKeptApart() {
        add(RowKind.RUNTIME_CALL, "a", 0, 1, 7);
        add(RowKind.RUNTIME_CALL, "b", 1, 2, 7);
        add(RowKind.KERNEL, "B", 20, 2, 7);
        add(RowKind.KERNEL, "A", 30, 1, 7);
        assertThat(linked()).isEqualTo("b->B a->A");
    }

    @Test
    void theLastCallBeforeAnOperationIsMeantWhereAnIdIsUsedAgain() {
        add(RowKind.RUNTIME_CALL, "second", 100, 0, 7);
        add(RowKind.RUNTIME_CALL, "first", 0, 0, 7);
        add(RowKind.KERNEL, "A", 10, 0, 7);
        add(RowKind.KERNEL, "B", 100, 0, 7);
        add(RowKind.KERNEL, "C", 200, 0, 7);
        assertThat(linked()).isEqualTo("first->A? second->B? second->C?");
    }

    @Test
    void anOperationBeforeEveryCallBelongsToTheFirst() {
        add(RowKind.RUNTIME_CALL, "first", 50, 0, 7);
        add(RowKind.RUNTIME_CALL, "second", 60, 0, 7);
        add(RowKind.KERNEL, "A", 10, 0, 7);
        assertThat(linked()).isEqualTo("first->A?");
    }

    @Test
    void graphLaunchesOfOneIdOwnWhatFollowsThemAndNothingBeforeThem() {
        for (int launch = 0; launch < 3; launch++) {
            add(RowKind.GRAPH_LAUNCH, "launch " + launch, 100 + 100 * launch, 0, 132);
        }
        add(RowKind.KERNEL, "A", 50, 0, 132);
        add(RowKind.KERNEL, "B", 110, 0, 132);
        add(RowKind.KERNEL, "C", 310, 0, 132);
        assertThat(linked()).isEqualTo("launch 0->B? launch 2->C?");
    }

    @Test
    void oneGraphLaunchOwnsAllThatItReplays() {
        add(RowKind.GRAPH_LAUNCH, "graph", 0, 0, 3);
        add(RowKind.KERNEL, "A", 10, 0, 3);
        add(RowKind.MEMSET, "B", 20, 0, 3);
        add(RowKind.KERNEL, "C", 30, 0, 4);
        linker.link(builder::link);
        Links links = builder.build("test").links();
        assertThat(links.count()).isEqualTo(2);
        assertThat(links.kind(0)).isEqualTo(LinkKind.GRAPH_REPLAY);
    }

    @Test
    void shuffledRowsAreLinkedAlike() {
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            int id = random.nextInt(1000);
            add(RowKind.RUNTIME_CALL, "p" + id % 3 + "c" + id, id * 10L, id % 3, id);
            int other = random.nextInt(1000);
            add(RowKind.KERNEL, "p" + other % 3 + "c" + other, 20_000 + i, other % 3, other);
        }
        linker.link(builder::link);
        Timeline timeline = builder.build("test");
        assertThat(timeline.links().count()).isPositive();
        for (int i = 0; i < timeline.links().count(); i++) {
            assertThat(timeline.name(timeline.links().fromRow(i)))
                    .isEqualTo(timeline.name(timeline.links().toRow(i)));
        }
    }
}
