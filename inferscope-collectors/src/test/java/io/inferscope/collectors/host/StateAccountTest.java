package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.WaitReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StateAccountTest {
    private static final long MS = 1_000_000L;
    private static final long WAIT_NS = 23_700_000L;
    private static final long TURN_NS = 50_600_000L;
    private static final WaitCause FUTEX = new WaitCause(WaitReason.FUTEX, "futex");

    private final List<StateAccount.Interval> intervals = new ArrayList<>();

    @Test
    void idleThreadIsOneIntervalPerSecond() {
        StateAccount account = new StateAccount(lag(), 0, 0, 0, intervals::add);
        for (int i = 1; i <= 250; i++) {
            account.add(blocked(i * 10L * MS, 0, 0, 1));
        }
        account.finish();
        assertThat(intervals).hasSize(3);
        assertThat(intervals.get(0).endNs).isEqualTo(1000 * MS);
        assertThat(intervals).allSatisfy(i -> assertThat(i.roomNs()).isEqualTo(i.endNs - i.startNs));
        assertThat(intervals).allSatisfy(i -> assertThat(i.cause).isEqualTo(FUTEX));
    }

    @Test
    void busyThreadIsNeverShownBlockedThoughItsCounterLags() {
        StateAccount account = new StateAccount(lag(), 0, 0, 0, intervals::add);
        account.add(running(8 * MS, 8 * MS, 0, 1)); // The kernel counts up to the last tick, every 4 ms.
        for (int i = 2; i <= 50; i++) {
            long nowNs = i * 10L * MS;
            account.add(running(nowNs, nowNs / (4 * MS) * (4 * MS), 0, 1));
        }
        account.finish();
        assertThat(intervals).hasSize(1);
        assertThat(intervals.get(0).roomNs()).isZero();
        assertThat(intervals.get(0).onCpuNs).isEqualTo(500 * MS);
    }

    @Test
    void timeReadTooLateGoesBackToTheIntervalItBelongsTo() {
        StateAccount account = new StateAccount(lag(), 0, 0, 0, intervals::add);
        account.add(blocked(10 * MS, 0, 0, 1));
        account.add(blocked(20 * MS, 0, 0, 1)); // In truth woken at 12 ms, and waiting for a CPU until 25 ms.
        account.add(running(30 * MS, 5 * MS, 13 * MS, 2));
        account.finish();
        assertThat(intervals).hasSize(2);
        assertThat(intervals.get(0).runnableNs).isEqualTo(8 * MS);
        assertThat(intervals.get(1).runnableNs).isEqualTo(5 * MS);
        assertThat(intervals.get(1).onCpuNs).isEqualTo(5 * MS);
    }

    @Test
    void threadThatWaitsForACpuThroughoutIsRunnable() {
        StateAccount account = new StateAccount(lag(), 0, 0, 0, intervals::add);
        account.add(running(10 * MS, 10 * MS, 0, 1));
        account.add(running(20 * MS, 10 * MS, 0, 1));
        account.add(running(30 * MS, 15 * MS, 15 * MS, 2));
        account.finish();
        long waited = intervals.stream().mapToLong(i -> i.runnableNs).sum();
        assertThat(waited).isEqualTo(15 * MS);
        assertThat(intervals.stream().mapToLong(i -> i.roomNs()).sum()).isZero();
    }

    @Test
    void whatWasCreditedTooEarlyIsTakenBackWhenTheThreadBlocks() {
        StateAccount account = new StateAccount(lag(), 0, 0, 0, intervals::add);
        account.add(running(10 * MS, 10 * MS, 0, 1));
        account.add(
                running(20 * MS, 13 * MS, 0, 1)); // In truth off the CPU from 13 ms on, to be counted when it is back.
        account.add(blocked(30 * MS, 13 * MS, 9 * MS, 2));
        account.finish();
        assertThat(account.unplacedNs()).isZero();
        assertThat(intervals.stream().mapToLong(i -> i.onCpuNs).sum()).isEqualTo(13 * MS);
        assertThat(intervals.stream().mapToLong(i -> i.runnableNs).sum()).isEqualTo(9 * MS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void sumsAreExactlyWhatTheKernelCounted(long seed) {
        Random random = new Random(seed);
        SimulatedThread thread = new SimulatedThread(random, seed % 3 == 0 ? 10 * MS : 4 * MS);
        StateAccount account = new StateAccount(lag(), 0, 0, 0, intervals::add);
        StateAccount.Reading last = thread.read(1);
        for (long nowNs = 0; nowNs < 3000 * MS; nowNs += 5 * MS + random.nextInt((int) (20 * MS))) {
            last = thread.read(Math.max(1, nowNs));
            account.add(last);
        }
        account.finish();
        assertThat(intervals.stream().mapToLong(i -> i.onCpuNs).sum()).isEqualTo(last.cpuNs());
        assertThat(account.unplacedNs()).isZero();
        assertThat(intervals.stream().mapToLong(i -> i.runnableNs).sum()).isEqualTo(last.runnableNs());
        long endNs = 0;
        for (StateAccount.Interval interval : intervals) {
            assertThat(interval.startNs).as("no gap, no overlap").isEqualTo(endNs);
            assertThat(interval.onCpuNs).isNotNegative();
            assertThat(interval.runnableNs).isNotNegative();
            assertThat(interval.roomNs()).isNotNegative();
            endNs = interval.endNs;
        }
        assertThat(endNs).isEqualTo(last.timeNs());
    }

    /** A thread waits for 23.7 ms and works for 26.9 ms, in turns; it is looked at every 20 ms or so. */
    @ParameterizedTest
    @CsvSource({"1, 13", "4, 47", "10, 100"})
    void waitsAreAboutAsLongAsTheyWereThoughCountsLag(long tickMs, int perMille) {
        Random random = new Random(tickMs);
        StateAccount account = new StateAccount(new StateAccount.Lag(tickMs * MS), 0, 0, 0, intervals::add);
        for (long nowNs = 0; nowNs < 60_000 * MS; nowNs += 15 * MS + random.nextInt((int) (10 * MS))) {
            long turn = nowNs / TURN_NS;
            boolean works = nowNs % TURN_NS > WAIT_NS;
            long countedNs = Math.max(turn * (TURN_NS - WAIT_NS), workedNs(nowNs / (tickMs * MS) * (tickMs * MS)));
            account.add(works ? running(nowNs, countedNs, 0, turn + 1) : blocked(nowNs, workedNs(nowNs), 0, turn));
        }
        account.finish();

        long elsewhereNs = 0; // Blocked time that must lie in the work, by the figures of its interval.
        for (StateAccount.Interval interval : intervals) {
            elsewhereNs += Math.max(0, workedNs(interval.endNs) - workedNs(interval.startNs) - interval.onCpuNs);
        }
        assertThat(elsewhereNs).isLessThan(workedNs(60_000 * MS) * perMille / 1000);
    }

    /**
     * A hypervisor takes the CPU away for 3 of each 10 ms. If the thread also waits, for 20 ms of each 200, what was stolen
     * in intervals with a switch cannot be told from waiting.
     */
    @ParameterizedTest
    @CsvSource({"false, 0.27", "true, 0.15"})
    void timeThatAHypervisorTookIsNoWait(boolean blocks, double leastStolen) {
        StateAccount.Lag lag = lag();
        lag.hypervisorSteals();
        StateAccount account = new StateAccount(lag, 0, 0, 0, intervals::add);
        long cpuNs = 0;
        long countedNs = 0;
        for (int ms = 1; ms <= 10_000; ms++) {
            boolean waits = blocks && ms % 200 < 20;
            cpuNs += waits || ms % 10 >= 7 ? 0 : MS;
            countedNs = waits || (ms % 4 == 0 && ms % 10 < 7) ? cpuNs : countedNs;
            if (ms % 20 == 0) {
                long switches = blocks ? 1 + (ms + 180) / 200 : 1;
                account.add(
                        waits ? blocked(ms * MS, countedNs, 0, switches) : running(ms * MS, countedNs, 0, switches));
            }
        }
        account.finish();

        long waitsNs = blocks ? 1_000 * MS : 0;
        long worksNs = 10_000 * MS - waitsNs;
        assertThat(sum(i -> i.onCpuNs)).isBetween(cpuNs - 10 * MS, cpuNs + 10 * MS);
        assertThat(sum(i -> i.runnableNs)).isZero();
        assertThat((double) sum(i -> i.stolenNs) / worksNs).isBetween(leastStolen, 0.3);
        assertThat(sum(StateAccount.Interval::roomNs)).isGreaterThanOrEqualTo(waitsNs * 98 / 100);
    }

    /** Counts lag, threads are preempted and block, and readings may be closer together than ticks: nothing of that is stolen. */
    @ParameterizedTest
    @CsvSource({"4, 2", "4, 5", "4, 10", "4, 20", "10, 5", "10, 8", "10, 9", "10, 10", "10, 15", "10, 20", "1, 20"})
    void whereNothingIsStolenWaitsStayWaits(long tickMs, long everyMs) {
        Random random = new Random(tickMs * 100 + everyMs);
        StateAccount.Lag lag = new StateAccount.Lag(tickMs * MS);
        lag.hypervisorSteals();
        SimulatedThread thread = new SimulatedThread(random, tickMs * MS);
        StateAccount account = new StateAccount(lag, 0, 0, 0, intervals::add);
        StateAccount.Reading last = thread.read(1);
        for (long nowNs = MS; nowNs < 20_000 * MS; nowNs += everyMs * MS * (80 + random.nextInt(40)) / 100) {
            last = thread.read(nowNs);
            account.add(last);
        }
        account.finish();

        long blockedNs = last.timeNs() - last.cpuNs() - last.runnableNs();
        assertThat((double) sum(i -> i.stolenNs) / blockedNs).isLessThan(0.01);
        assertThat((double) sum(StateAccount.Interval::roomNs) / blockedNs).isBetween(0.99, 1.01);
    }

    private long sum(ToLongFunction<StateAccount.Interval> part) {
        return intervals.stream().mapToLong(part).sum();
    }

    /** Pieces that end with a recorded switch are exact: nothing of them is counted later. */
    @Test
    void piecesThatSwitchesEndAreExact() {
        StateAccount account = new StateAccount(lag(), 0, 0, 0, intervals::add);
        account.add(blocked(10 * MS, 0, 0, 1));
        for (int piece = 3; piece <= 6; piece++) { // Off and on a CPU for 5 ms each.
            account.addPiece(
                    piece % 2 == 1
                            ? running(piece * 5 * MS, account.creditedCpuNs(), 0, 3)
                            : blocked(piece * 5 * MS, account.creditedCpuNs() + 5 * MS, 0, 3),
                    0);
        }
        account.finish();

        assertThat(intervals).extracting(i -> i.onCpuNs).containsSubsequence(0L, 5 * MS, 0L, 5 * MS);
        assertThat(account.unplacedNs()).isZero();
    }

    /** A thread that a timer wakes works for 0.1 ms each time, and is looked at each time as it does. */
    @Test
    void whatIsCreditedEarlyIsNeverMoreThanALag() {
        StateAccount account = new StateAccount(lag(), 0, 0, 0, intervals::add);
        for (int i = 1; i <= 200; i++) {
            account.add(running(i * 20 * MS, i * MS / 10, 0, i));
        }
        account.finish();

        assertThat(account.unplacedNs()).isLessThanOrEqualTo(2 * MS);
        assertThat(intervals.stream().mapToLong(i -> i.onCpuNs).sum()).isBetween(18 * MS, 22 * MS);
    }

    /** Of a kernel of 250 Hz. */
    private static StateAccount.Lag lag() {
        return new StateAccount.Lag(4 * MS);
    }

    private static long workedNs(long untilNs) {
        return untilNs / TURN_NS * (TURN_NS - WAIT_NS) + Math.max(0, untilNs % TURN_NS - WAIT_NS);
    }

    private static StateAccount.Reading blocked(long timeNs, long cpuNs, long runnableNs, long switches) {
        return new StateAccount.Reading(timeNs, cpuNs, runnableNs, switches, false, FUTEX, FaultsAndSwitches.NONE);
    }

    private static StateAccount.Reading running(long timeNs, long cpuNs, long runnableNs, long switches) {
        return new StateAccount.Reading(
                timeNs, cpuNs, runnableNs, switches, true, WaitCause.UNKNOWN, FaultsAndSwitches.NONE);
    }

    /** A thread that runs, waits for a CPU and blocks at random, with counters updated as the kernel does: at ticks and switches. */
    private static final class SimulatedThread {
        private final Random random;
        private final long tickNs;
        private long nowNs;
        private long phaseEndNs;
        private int phase; // 0 runs, 1 is runnable, 2 blocks
        private long phaseStartNs;
        private long cpuNs;
        private long countedNs;
        private long runnableNs;
        private long switches = 1;

        SimulatedThread(Random random, long tickNs) {
            this.random = random;
            this.tickNs = tickNs;
            phaseEndNs = length();
        }

        private long length() {
            long scale = random.nextInt(4) == 0 ? 60 * MS : 6 * MS;
            return 1 + (long) (random.nextDouble() * scale);
        }

        StateAccount.Reading read(long timeNs) {
            while (nowNs < timeNs) {
                long stepNs = Math.min(Math.min(phaseEndNs, timeNs), (nowNs / tickNs + 1) * tickNs) - nowNs;
                cpuNs += phase == 0 ? stepNs : 0;
                nowNs += stepNs;
                if (phase == 0 && nowNs % tickNs == 0) {
                    countedNs = cpuNs;
                }
                if (nowNs == phaseEndNs) {
                    change();
                }
            }
            boolean runs = phase != 2;
            return new StateAccount.Reading(
                    timeNs,
                    countedNs,
                    runnableNs,
                    switches,
                    runs,
                    runs ? WaitCause.UNKNOWN : FUTEX,
                    FaultsAndSwitches.NONE);
        }

        private void change() {
            countedNs = cpuNs;
            if (phase == 1) {
                runnableNs += nowNs - phaseStartNs;
                switches++;
                phase = 0;
            } else {
                phase = phase == 2 ? 1 : 1 + random.nextInt(2);
            }
            phaseStartNs = nowNs;
            phaseEndNs = nowNs + length();
        }
    }
}
