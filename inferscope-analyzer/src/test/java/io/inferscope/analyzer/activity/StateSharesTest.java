package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.Placement;
import io.inferscope.analyzer.model.Placement.Kind;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A state row of 100 ns, whose thread waited for hand-overs from 20 to 40 and from 30 to 60. */
class StateSharesTest {
    private int track;
    private int state;

    @Test
    void blockedTimeThatTheWaitsHoldLiesInThemInProportion() {
        StateShares shares = shares(60, 20);

        assertThat(part(shares, 0, 20)).containsExactly(15, 5, 0);
        assertThat(part(shares, 20, 60)).containsExactly(15, 5, 20);
        assertThat(part(shares, 20, 40)).containsExactly(7, 3, 10);
        assertThat(part(shares, 60, 100)).containsExactly(30, 10, 0);
    }

    @Test
    void blockedTimeBeyondTheWaitsFillsThemAndIsSpreadOverTheRest() {
        StateShares shares = shares(24, 6);

        assertThat(part(shares, 20, 60)).containsExactly(0, 0, 40);
        assertThat(part(shares, 0, 20)).containsExactly(8, 2, 10);
        assertThat(part(shares, 60, 100)).containsExactly(16, 4, 20);
    }

    @Test
    void partsOfARowSumToItsTotalsWhereverItIsCut() {
        for (int stepNs = 1; stepNs <= 100; stepNs++) {
            StateShares shares = shares(37, 11);
            long[] sums = new long[3];
            for (int fromNs = 0; fromNs < 100; fromNs += stepNs) {
                long[] part = part(shares, fromNs, Math.min(100, fromNs + stepNs));
                IntStream.range(0, 3).forEach(i -> sums[i] += part[i]);
            }
            assertThat(sums).containsExactly(37, 11, 52);
        }
    }

    @Test
    void partsEndWhereWaitsBeginAndEnd() {
        StateShares shares = shares(60, 20);

        assertThat(shares.endOfPartNs(0, 100)).isEqualTo(20);
        assertThat(shares.endOfPartNs(20, 100)).isEqualTo(60);
        assertThat(shares.endOfPartNs(60, 100)).isEqualTo(100);
        assertThat(shares.endOfPartNs(20, 50)).isEqualTo(50);
    }

    @Test
    void whatWaitsFillIsCertainAndTheRestLiesAnywhereOutside() {
        StateShares shares = shares(30, 0);

        shares.part(20, 60);
        assertThat(shares.blocks().placed())
                .as("nothing of the 30 outside")
                .isEqualTo(room(Kind.BLOCKED, 30, 60, 0, null));
        shares.part(0, 20);
        assertThat(shares.blocks().placed()).isEqualTo(room(Kind.BLOCKED, 30, 60, 20, null));
        assertThat(shares.runs().placed())
                .as("awake throughout, but for when it was blocked")
                .isEqualTo(room(Kind.NOT_AWAKE, 30, 60, 20, null));
    }

    @Test
    void timeOnACpuLiesAnywhereInWhatBlockedTimeLeaves() {
        StateShares shares = shares(60, 20);

        shares.part(20, 60);
        assertThat(shares.blocks().placed()).isEqualTo(room(Kind.BLOCKED, 20, 40, 40, null));
        assertThat(shares.runs().placed())
                .isEqualTo(room(Kind.ON_CPU, 60, 80, 20, room(Kind.NOT_AWAKE, 20, 40, 40 * 0.75, null)));
    }

    private Placement room(Kind kind, long totalNs, long roomNs, double partNs, @Nullable Placement next) {
        return new Placement(track, kind, state, totalNs, roomNs, partNs, next);
    }

    @Test
    void aRowThatIsBlockedThroughoutIsMeasuredAndNotCut() {
        StateShares shares = shares(0, 0);

        assertThat(shares.endOfPartNs(0, 100)).isEqualTo(100);
        assertThat(part(shares, 30, 70)).containsExactly(0, 0, 40);
        assertThat(shares.blocks()).isEqualTo(AmountBasis.MEASURED);
    }

    /** Hand-overs first, from 20 to 60, then from 60 to 80 and not before 20, where the second place overlaps them. */
    @Test
    void whatHandOversDoNotHoldLiesInTheNextPlaceAndThenInTheRest() {
        StateShares fits = shares(50, 0, 10, 30, 50, 80);
        assertThat(part(fits, 0, 10)).containsExactly(10, 0, 0);
        assertThat(part(fits, 20, 60)).containsExactly(0, 0, 40);
        assertThat(part(fits, 10, 20)).containsExactly(7, 0, 3);
        assertThat(part(fits, 60, 80)).containsExactly(13, 0, 7);
        assertThat(part(fits, 80, 100)).containsExactly(20, 0, 0);
        fits.part(60, 80);
        assertThat(fits.blocks().placed()).isEqualTo(room(Kind.BLOCKED, 10, 30, 20, null));
        assertThat(fits.endOfPartNs(0, 100)).isEqualTo(10);
        assertThat(fits.endOfPartNs(10, 100)).isEqualTo(20);

        StateShares spills = shares(15, 0, 10, 30, 50, 80);
        assertThat(part(spills, 10, 80)).containsExactly(0, 0, 70);
        assertThat(part(spills, 0, 10)).containsExactly(5, 0, 5);
        assertThat(part(spills, 80, 100)).containsExactly(10, 0, 10);
    }

    private static long[] part(StateShares shares, long fromNs, long toNs) {
        shares.part(fromNs, toNs);
        return new long[] {shares.runsNs(), shares.queuesNs(), shares.blocksNs()};
    }

    /** With a second place for blocked time, from begins to ends in ns, of which hand-overs are taken off. */
    private StateShares shares(long onCpuNs, long runnableNs, long... secondNs) {
        TimelineFixture drawn = TimelineFixture.blank()
                .stateNs("main", 0, 100, onCpuNs, runnableNs, WaitReason.FUTEX)
                .handedOver("worker", "main", 0.020, 0.040)
                .handedOver("worker", "main", 0.030, 0.060);
        for (int i = 0; i < secondNs.length; i += 2) {
            drawn.scope("main", secondNs[i] / 1000.0, secondNs[i + 1] / 1000.0, "second");
        }
        Timeline timeline = drawn.build();
        state = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE)
                .findFirst()
                .orElseThrow();
        track = timeline.track(state);
        Intervals handOvers = KnownWaits.recorded(timeline, track);
        Intervals second = KnownWaits.of(timeline, track, row -> timeline.kind(row) == RowKind.ANNOTATION);
        return new StateShares(timeline, state, List.of(handOvers, second.minus(handOvers)), 0);
    }
}
