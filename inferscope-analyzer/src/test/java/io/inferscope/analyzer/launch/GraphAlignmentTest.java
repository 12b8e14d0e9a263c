package io.inferscope.analyzer.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.CaptureFolderTest;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.timeline.Timeline;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GraphAlignmentTest {
    private static int[] without(int[] all, int place) {
        return IntStream.range(0, all.length)
                .filter(i -> i != place)
                .map(i -> all[i])
                .toArray();
    }

    @Test
    void whereTheGapLiesCannotBeToldOfKernelsThatAreAlike() {
        assertThat(GraphAlignment.align(new int[] {1, 1, 1}, new int[] {7, 8, 7, 8}, (k, o) -> true))
                .isNull();
        assertThat(GraphAlignment.align(new int[] {1, 1, 1}, new int[] {7, 7}, (k, o) -> true))
                .containsExactly(-1, 1, -1);
    }

    /** The third captured call is a copy, and no replayed operation is: it is the one that is missing. */
    @Test
    void whatIsNoPairByItsKindIsNotPaired() {
        assertThat(GraphAlignment.align(new int[] {1, 2, 3}, new int[] {7, 8, 9, 10}, (k, o) -> o != 2))
                .containsExactly(0, 1, 3);
        assertThat(GraphAlignment.align(new int[] {1, 2}, new int[] {7, 8, 9, 10}, (k, o) -> true))
                .isNull();
    }

    /** Every captured call and every replayed kernel of a real graph is taken away once: no other kernel gets a wrong operator. */
    @Test
    @Tag("traces")
    void oneLostEventMovesNoOperator() throws Exception {
        Analysis analysis = Analysis.of(CaptureFolderTest.timeline(), Thresholds.defaults());
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.devices().get(0);
        GraphReplays.Replay replay =
                GraphReplays.of(analysis, device).graphs().get(0).replays().get(0);
        int[] kernels = new int[replay.size()];
        int[] operators = new int[replay.size()];
        for (int i = 0; i < kernels.length; i++) {
            kernels[i] = timeline.nameId(device.row(replay.operation(i)));
            int call = GraphReplays.of(analysis, device).callOf(replay.operation(i));
            operators[i] = timeline.nameId(ApiCalls.operatorOf(timeline, call));
        }
        int known = 0;
        for (int lost = 0; lost < kernels.length; lost++) {
            known += trueNames(kernels, without(operators, lost), kernels, operators, lost, false);
            known += trueNames(without(kernels, lost), operators, kernels, operators, lost, true);
        }

        assertThat(known).isGreaterThan(2 * 421 * 9 / 10);
    }

    /** Returns 1 where the operators are told, 0 where they are not; fails where one is told wrongly. */
    private static int trueNames(
            int[] kernels, int[] operators, int[] allKernels, int[] allOperators, int lost, boolean ofReplay) {
        int[] places = GraphAlignment.align(kernels, operators, (k, o) -> true);
        for (int i = 0; places != null && i < places.length; i++) {
            int kernel = ofReplay && i >= lost ? i + 1 : i;
            assertThat(kernels[i]).isEqualTo(allKernels[kernel]);
            if (places[i] >= 0) {
                assertThat(operators[places[i]]).isEqualTo(allOperators[kernel]);
            }
        }
        return places == null ? 0 : 1;
    }
}
