package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.Placement;
import io.inferscope.analyzer.model.Placement.Kind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
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
        assertThat(shares.blocks()).isEqualTo(Basis.MEASURED);
    }

    private static long[] part(StateShares shares, long fromNs, long toNs) {
        shares.part(fromNs, toNs);
        return new long[] {shares.runsNs(), shares.queuesNs(), shares.blocksNs()};
    }

    private StateShares shares(long onCpuNs, long runnableNs) {
        Timeline timeline = TimelineFixture.blank()
                .stateNs("main", 0, 100, onCpuNs, runnableNs, WaitReason.FUTEX)
                .handedOver("worker", "main", 0.020, 0.040)
                .handedOver("worker", "main", 0.030, 0.060)
                .build();
        state = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE)
                .findFirst()
                .orElseThrow();
        track = timeline.track(state);
        return new StateShares(timeline, state, KnownWaits.ofHandOvers(timeline, track));
    }
}
