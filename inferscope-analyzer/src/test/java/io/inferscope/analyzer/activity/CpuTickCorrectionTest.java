package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** State rows of a thread that waits for hand-overs. Times are in ms, as in the fixture's waits. */
class CpuTickCorrectionTest {
    private static final long MS = 1_000_000;

    private final TimelineFixture drawn = TimelineFixture.blank();

    @Test
    void timeThatOneRowHasTooMuchOfAndTheNextLacksIsMovedThere() {
        state(0, 20, 9, 0);
        state(20, 40, 7, 0);
        waits(4, 17);
        waits(26, 37);

        assertThat(find()).containsExactly(-2 * MS, 2 * MS);
    }

    @Test
    void timeThatOneRowLacksAndTheNextHasTooMuchOfIsMovedBack() {
        state(0, 20, 5, 0);
        state(20, 40, 12, 0);
        waits(4, 17);
        waits(26, 37);

        assertThat(find()).containsExactly(2 * MS, -3 * MS + MS);
    }

    @Test
    void itIsMovedAcrossARowInWhichTheThreadWorked() {
        state(0, 20, 9, 0);
        state(20, 40, 20, 0);
        state(40, 60, 7, 0);
        waits(4, 17);
        waits(46, 57);

        assertThat(find()).containsExactly(-2 * MS, 0, 2 * MS);
    }

    @Test
    void nothingIsMovedAcrossAWait() {
        state(0, 20, 9, 0);
        state(20, 40, 7, 0);
        waits(4, 21);
        waits(30, 37);

        assertThat(find()).containsExactly(0, 0);
    }

    @Test
    void aRowWithoutBlockedTimeToSpareTakesNothing() {
        state(0, 20, 9, 0);
        state(20, 40, 9, 0);
        waits(4, 17);
        waits(26, 37);

        assertThat(find()).containsExactly(0, 0);
    }

    @Test
    void nothingIsMovedAcrossARowWithAWaitOfItsOwn() {
        state(0, 20, 9, 0);
        state(20, 40, 15, 0);
        state(40, 60, 7, 0);
        waits(4, 17);
        waits(30, 35);
        waits(46, 57);

        assertThat(find()).containsExactly(0, 0, 0);
    }

    @Test
    void waitingForACpuAtTheEndOfAWaitIsNoCpuTime() {
        state(0, 20, 10, 8);
        state(20, 40, 12, 0);
        waits(4, 14);

        assertThat(find()).containsExactly(0, 0);
    }

    @Test
    void noMoreThanATickIsMoved() {
        state(0, 40, 35, 0);
        state(40, 80, 5, 0);
        waits(4, 34);
        waits(50, 60);

        assertThat(find()).containsExactly(-10 * MS, 10 * MS);
    }

    @Test
    void callsThatReturnAtOnceAreNoProofOfWaiting() {
        state(0, 20, 20, 0);
        state(20, 40, 7, 0);
        for (int i = 0; i < 10; i++) {
            waits(i, i + 0.5);
        }
        waits(30, 37);

        assertThat(find()).containsExactly(0, 0);
    }

    @Test
    void timeIsMovedNeverMadeAndFitsItsRow() {
        Random random = new Random(1);
        boolean moved = false;
        for (int round = 0; round < 200; round++) {
            TimelineFixture some = TimelineFixture.blank();
            long[] cpuNs = new long[30];
            long[] roomNs = new long[30];
            for (int i = 0; i < cpuNs.length; i++) {
                cpuNs[i] = random.nextInt((int) (20 * MS));
                long readyNs = random.nextInt((int) (20 * MS - cpuNs[i]));
                roomNs[i] = 20 * MS - readyNs;
                some.stateNs("main", i * 20 * MS, (i + 1) * 20 * MS, cpuNs[i], readyNs, WaitReason.FUTEX);
            }
            for (double at = 0; at < 590; at += random.nextInt(30)) {
                double begin = at + random.nextInt(20);
                at = begin + random.nextInt(25) + 0.1;
                some.handedOver("worker", "main", 1e3 * begin, 1e3 * at);
            }
            long[] lateNs = find(some.build());

            moved |= Arrays.stream(lateNs).anyMatch(ns -> ns != 0);
            assertThat(Arrays.stream(lateNs).sum()).isZero();
            for (int i = 0; i < cpuNs.length; i++) {
                assertThat(cpuNs[i] + lateNs[i]).isBetween(0L, roomNs[i]);
            }
        }
        assertThat(moved).isTrue();
    }

    private void state(long fromMs, long toMs, long onCpuMs, long runnableMs) {
        drawn.stateNs("main", fromMs * MS, toMs * MS, onCpuMs * MS, runnableMs * MS, WaitReason.FUTEX);
    }

    private void waits(double fromMs, double toMs) {
        drawn.handedOver("worker", "main", 1e3 * fromMs, 1e3 * toMs);
    }

    private long[] find() {
        return find(drawn.build());
    }

    private static long[] find(Timeline timeline) {
        int[] states = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE
                        && timeline.attribute(row, Attribute.ON_CPU_NS) != Attribute.ABSENT)
                .toArray();
        return CpuTickCorrection.find(timeline, states, KnownWaits.recorded(timeline, timeline.track(states[0])));
    }
}
