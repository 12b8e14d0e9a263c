package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TraceFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hand-overs between the thread that calls {@code backward()} and autograd's, by sequence numbers alone. */
class AutogradPassesTest {
    @TempDir
    private Path folder;

    private static String op(int thread, int startUs, int endUs, int number, int forwardThread) {
        return "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":" + thread + ",\"ts\":" + startUs
                + ",\"dur\":" + (endUs - startUs) + ",\"args\":{\"Sequence number\":" + number + ",\"Fwd thread id\":"
                + forwardThread + "}}";
    }

    private Timeline load(String... events) throws Exception {
        String json = "[" + String.join(",", events) + "]";
        return CoreFormats.load(TraceFile.of(folder, "trace.json", json.getBytes(StandardCharsets.UTF_8)));
    }

    private List<String> handOvers(String... events) throws Exception {
        Timeline timeline = load(events);
        List<String> found = new ArrayList<>();
        for (int link = 0; link < timeline.links().count(); link++) {
            int giver = timeline.links().fromRow(link);
            int taker = timeline.links().toRow(link);
            assertThat(timeline.kind(giver)).isEqualTo(RowKind.HAND_OVER);
            found.add(thread(timeline, giver) + " " + timeline.name(giver) + " at " + timeline.endNs(giver) / 1000
                    + ", " + thread(timeline, taker) + " waits " + timeline.startNs(taker) / 1000 + " to "
                    + timeline.endNs(taker) / 1000);
        }
        return found.stream().sorted().toList();
    }

    private static String thread(Timeline timeline, int row) {
        return timeline.tracks().get(timeline.track(row)).name();
    }

    /** Operators have the number of the next node, which all have in common where nothing records a graph. */
    @Test
    void aGraphWithoutGradientsIsDeclared() throws Exception {
        String[] graph = {op(7, 0, 10, 4, 0), op(7, 10, 20, 5, 0), op(7, 20, 30, 6, 0), op(8, 0, 9, 1, 0)};

        assertThat(load(graph).properties()).containsEntry(TimelineInfo.GRAPH_NODES, "2");
        assertThat(load(op(7, 0, 10, 4, 0), op(7, 10, 20, 4, 0)).properties())
                .doesNotContainKey(TimelineInfo.GRAPH_NODES);
        assertThat(load(op(7, 0, 10, 4, 0), op(7, 10, 20, 5, 0), op(7, 20, 30, 5, 1))
                        .properties())
                .doesNotContainKey(TimelineInfo.GRAPH_NODES);
    }

    @Test
    void eachPassIsGivenByTheThreadThatRanTheOperators() throws Exception {
        assertThat(handOvers(
                        op(7, 0, 10, 1, 0),
                        op(7, 10, 20, 2, 0),
                        op(8, 25, 30, 2, 1),
                        op(8, 33, 40, 1, 1),
                        op(7, 45, 60, 3, 0),
                        op(8, 62, 70, 3, 1)))
                .containsExactly(
                        "7 gives backward pass at 25, pt_autograd waits 0 to 25",
                        "7 gives backward pass at 62, pt_autograd waits 40 to 62",
                        "pt_autograd gives gradients at 40, 7 waits 25 to 40",
                        "pt_autograd gives gradients at 70, 7 waits 62 to 70");
    }

    @Test
    void aThreadThatWorksMeanwhileDoesNotWait() throws Exception {
        assertThat(handOvers(op(7, 0, 10, 1, 0), op(8, 20, 40, 1, 1), op(7, 30, 35, 2, 0)))
                .isEmpty();
    }

    @Test
    void numbersOfOtherThreadsTellNothing() throws Exception {
        assertThat(handOvers(op(7, 0, 10, 1, 0), op(8, 20, 40, 5, 1))).isEmpty();
    }

    /** {@code nn.DataParallel}: 7 calls backward, 8 and 9 ran the replicas, 10 and 11 are engines. */
    @Test
    void threadsThatCountAlikeAreNotToldApart() throws Exception {
        assertThat(handOvers(
                        op(8, 0, 10, 1, 0),
                        op(8, 10, 20, 2, 0),
                        op(9, 0, 10, 1, 0),
                        op(9, 10, 20, 2, 0),
                        op(7, 22, 24, 1, 0),
                        op(10, 30, 40, 2, 2),
                        op(10, 40, 50, 1, 2),
                        op(11, 30, 40, 2, 3),
                        op(11, 40, 50, 1, 3)))
                .isEmpty();
    }

    @Test
    void aThreadThatRanTheOperatorsNeedNotBeTheOneThatWaits() throws Exception {
        assertThat(handOvers(
                        op(8, 0, 10, 1, 0),
                        op(8, 10, 20, 2, 0),
                        op(7, 22, 24, 7, 0),
                        op(10, 30, 40, 2, 2),
                        op(10, 40, 50, 1, 2)))
                .isEmpty();
    }

    /** Two threads train at once: a gradient's thread tells which numbers are meant. */
    @Test
    void numbersOfTwoThreadsAreNotMixed() throws Exception {
        assertThat(handOvers(
                        op(8, 0, 5, 2, 0),
                        op(8, 6, 8, 3, 0),
                        op(8, 9, 15, 4, 0),
                        op(7, 0, 5, 1, 0),
                        op(7, 5, 10, 2, 0),
                        op(7, 10, 20, 3, 0),
                        op(8, 32, 34, 5, 0),
                        op(10, 30, 40, 3, 1),
                        op(10, 40, 45, 2, 1),
                        op(10, 45, 50, 1, 1),
                        op(10, 50, 60, 4, 2)))
                .contains("7 gives backward pass at 30, pt_autograd waits 0 to 30");
    }

    @Test
    void gradientsComputedWhereTheOperatorsRanAreNoHandOver() throws Exception {
        assertThat(handOvers(op(7, 0, 10, 1, 0), op(7, 20, 40, 1, 1))).isEmpty();
    }
}
