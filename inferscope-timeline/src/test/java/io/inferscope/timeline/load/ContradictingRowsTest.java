package io.inferscope.timeline.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A loop of one operator, one launch and one kernel each 100 us, of which one row is stamped wrongly. */
class ContradictingRowsTest {
    private static final long US = 1000;
    private static final long S = 1_000_000_000;

    /** Changes the times of one row. */
    private interface Change {
        long[] of(RowKind kind, int i, long startNs, long endNs);
    }

    private static Timeline drawn(int count, Change change, int times) {
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        int thread = builder.track(TrackKind.THREAD, process, "1");
        int other = builder.track(TrackKind.THREAD, process, "2");
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "7");
        for (int time = 0; time < times; time++) {
            for (int i = 0; i < count; i++) {
                long atNs = i * 100 * US;
                row(builder, change, RowKind.OPERATOR, thread, i, atNs, atNs + 90 * US);
                int caller = i == 50 ? other : thread;
                int launch = row(builder, change, RowKind.RUNTIME_CALL, caller, i, atNs + 10 * US, atNs + 15 * US);
                int kernel = row(builder, change, RowKind.KERNEL, stream, i, atNs + 20 * US, atNs + 90 * US);
                builder.correlation(launch, i + 1);
                builder.correlation(kernel, i + 1);
                builder.link(LinkKind.LAUNCH, launch, kernel, 100);
            }
        }
        return builder.build("kineto");
    }

    private static int row(
            TimelineBuilder builder, Change change, RowKind kind, int track, int i, long startNs, long endNs) {
        long[] times = change.of(kind, i, startNs, endNs);
        return builder.row(kind, track, times[0], times[1], builder.name(kind + "_" + i));
    }

    private static Change moved(RowKind kind, int number, long byNs) {
        return (k, i, startNs, endNs) ->
                k == kind && i == number ? new long[] {startNs + byNs, endNs + byNs} : new long[] {startNs, endNs};
    }

    private static Change longer(RowKind kind, int number, long byNs) {
        return (k, i, startNs, endNs) ->
                k == kind && i == number ? new long[] {startNs, endNs + byNs} : new long[] {startNs, endNs};
    }

    static Stream<Arguments> changes() {
        return Stream.of(
                Arguments.of("a kernel that ends late", longer(RowKind.KERNEL, 50, 2 * S)),
                Arguments.of("a kernel an hour late", moved(RowKind.KERNEL, 50, 3600 * S)),
                Arguments.of("a kernel 3 ms late", moved(RowKind.KERNEL, 50, 3000 * US)),
                Arguments.of("a kernel 3 ms early", moved(RowKind.KERNEL, 50, -3000 * US)),
                Arguments.of("the last kernel a second late", moved(RowKind.KERNEL, 199, S)),
                Arguments.of("the first kernel an hour early", moved(RowKind.KERNEL, 0, -3600 * S)),
                Arguments.of("an operator an hour late", moved(RowKind.OPERATOR, 50, 3600 * S)),
                Arguments.of("an operator an hour early", moved(RowKind.OPERATOR, 50, -3600 * S)),
                Arguments.of("an operator without end", longer(RowKind.OPERATOR, 50, 3600 * S)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changes")
    void oneRowThatContradictsItsNeighboursIsLeftOut(String name, Change change) {
        Timeline timeline = ContradictingRows.removed(drawn(200, change, 1));

        assertThat(timeline.importStats().count(Reason.CONTRADICTION)).isOne();
        assertThat(timeline.rowCount()).isEqualTo(3 * 200 - 1);
        assertThat(IntStream.range(0, timeline.rowCount())
                        .mapToLong(timeline::startNs)
                        .min()
                        .orElseThrow())
                .isGreaterThanOrEqualTo(0);
        assertThat(IntStream.range(0, timeline.rowCount())
                        .mapToLong(timeline::endNs)
                        .max()
                        .orElseThrow())
                .isLessThanOrEqualTo(200 * 100 * US);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changes")
    void inASmallRecordingItIsStated(String name, Change change) {
        Change early = (kind, i, startNs, endNs) -> change.of(kind, i == 19 ? 199 : i == 10 ? 50 : i, startNs, endNs);

        Timeline timeline = ContradictingRows.removed(drawn(20, early, 1));

        assertThat(timeline.rowCount()).isEqualTo(3 * 20);
        assertThat(timeline.properties().get(TimelineInfo.CONTRADICTIONS)).startsWith("1 of ");
    }

    @Test
    void soundRowsStayAsTheyAre() {
        Timeline drawn = drawn(200, (kind, i, startNs, endNs) -> new long[] {startNs, endNs}, 1);

        assertThat(ContradictingRows.removed(drawn)).isSameAs(drawn);
    }

    @Test
    void aLongFirstRowIsNotAlone() {
        Change load = (kind, i, startNs, endNs) ->
                kind == RowKind.OPERATOR && i == 0 ? new long[] {-60 * S, -1000 * US} : new long[] {startNs, endNs};
        Timeline drawn = drawn(200, load, 1);

        assertThat(ContradictingRows.removed(drawn)).isSameAs(drawn);
    }

    /** Which of two calls that overlap put its work on the stream first is not known. */
    @Test
    void aLaunchThatWaitedForThoseOfAnotherThreadIsInOrder() {
        Change waited = (kind, i, startNs, endNs) -> kind == RowKind.RUNTIME_CALL && i == 50
                ? new long[] {startNs - 3000 * US, endNs}
                : new long[] {startNs, endNs};
        Timeline drawn = drawn(200, waited, 1);

        assertThat(ContradictingRows.removed(drawn)).isSameAs(drawn);
    }

    @Test
    void rowsThatAreThereTwiceCountOnce() {
        Timeline timeline =
                ContradictingRows.removed(drawn(50, (kind, i, startNs, endNs) -> new long[] {startNs, endNs}, 2));

        assertThat(timeline.rowCount()).isEqualTo(3 * 50);
        assertThat(timeline.importStats().count(Reason.TWICE)).isEqualTo(3 * 50);
        assertThat(timeline.links().count()).isEqualTo(50);
    }

    /** Clocks that disagree are no single record. */
    @Test
    void manyRowsAreLeftToTheTrustGate() {
        Timeline drawn = drawn(
                200,
                (kind, i, startNs, endNs) -> kind == RowKind.KERNEL && i > 0
                        ? new long[] {startNs - 2000 * US, endNs - 2000 * US}
                        : new long[] {startNs, endNs},
                1);

        assertThat(ContradictingRows.removed(drawn)).isSameAs(drawn);
    }
}
