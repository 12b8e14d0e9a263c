package io.inferscope.analyzer.activity;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Waits without a record of the waker are what the threads did that work only then. */
class AlternatingThreadsTest {
    private static final int UNIT_US = 100;
    private static final int ROW = 100; // units
    private static final int ROWS = 200;

    @Test
    void aWaitIsTheWorkOfTheThreadThatWorksOnlyThen() {
        boolean[] mine = steps(new Random(1), 0.6);
        Ledger ledger = ledger(mine, at -> !mine[at], at -> false);

        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isZero();
        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(blockedNs(mine));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(ROWS * ROW * UNIT_US) - blockedNs(mine));
    }

    /** They may be a chain, or workers of one queue, each of which waits for items. */
    @Test
    void threadsThatTakeTurnsAreNotFollowed() {
        boolean[] mine = steps(new Random(2), 0.5);
        boolean[] first = steps(new Random(3), 0.5);
        Ledger ledger = ledger(mine, at -> !mine[at] && first[at], at -> !mine[at] && !first[at]);

        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(blockedNs(mine));
    }

    /** Go's scheduler runs one goroutine after the other, on whatever thread of its own is at hand. */
    @Test
    void threadsThatTakeTurnsWithGoroutinesAreFollowed() {
        boolean[] mine = steps(new Random(2), 0.5);
        boolean[] first = steps(new Random(3), 0.5);
        String goroutine = "/go/src/runtime/asm_amd64.s(1594): runtime.goexit.abi0 [serve]";
        TimelineFixture fixture = threads(mine, at -> !mine[at] && first[at], at -> !mine[at] && !first[at])
                .sample("main", 0, 1, goroutine, "serve.go(9): main.answer [serve]")
                .sample("first", 0, ROWS * ROW * UNIT_US, goroutine, "serve.go(20): main.tokenise [serve]")
                .sample("second", 0, ROWS * ROW * UNIT_US, goroutine, "serve.go(20): main.tokenise [serve]");
        Ledger ledger = judged(fixture);

        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isZero();
        assertThat(ledger.ns(LedgerClass.CPU_CODE)).isGreaterThanOrEqualTo(blockedNs(mine));
    }

    /** Two workers of one queue with one item at a time: as alike as caller and callee, but for their names. */
    @Test
    void workersOfOneKindAreNotFollowed() {
        boolean[] mine = steps(new Random(10), 0.5);
        TimelineFixture fixture = TimelineFixture.blank().scope("pool-7", 0, ROWS * ROW * UNIT_US, "step");
        states(fixture, "pool-7", at -> mine[at]);
        states(fixture, "pool-8", at -> !mine[at]);
        fixture.sample("pool-8", 0, ROWS * ROW * UNIT_US, "tiktoken/core.py(9): encode");

        assertThat(judged(fixture).ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(blockedNs(mine));
    }

    /** What a worker without samples did is not known; that it waited for a CPU in between is, and no more than that. */
    @Test
    void workThatNobodySawStaysTheWaitersOwn() {
        boolean[] mine = steps(new Random(11), 0.6);
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, ROWS * ROW * UNIT_US, "step");
        states(fixture, "main", at -> mine[at]);
        long queuedNs = 0;
        for (int row = 0; row < ROWS; row++) {
            long units = IntStream.range(row * ROW, (row + 1) * ROW)
                    .filter(at -> !mine[at])
                    .count();
            fixture.state(
                    "worker",
                    row * ROW * UNIT_US,
                    (row + 1) * ROW * UNIT_US,
                    (units - units / 10) * UNIT_US,
                    units / 10 * UNIT_US,
                    WaitReason.FUTEX);
            queuedNs += us(units / 10 * UNIT_US);
        }
        Ledger ledger = judged(fixture);

        assertThat((double) ledger.ns(LedgerClass.WAIT_RUN_QUEUE)).isCloseTo(queuedNs, withinPercentage(10));
        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN) + ledger.ns(LedgerClass.WAIT_RUN_QUEUE))
                .isEqualTo(blockedNs(mine));
    }

    /** It works in each row alike: nobody waits for it. */
    @Test
    void aThreadInTheBackgroundGetsNoPartOfAWait() {
        boolean[] mine = steps(new Random(12), 0.6);
        Ledger ledger = ledger(mine, at -> !mine[at], at -> at % 10 == 0);

        assertThat(ledger.ns(LedgerClass.CPU_PREPROCESSING)).isZero();
        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(blockedNs(mine));
    }

    /** Beside other programs, the thread that has handed over still waits for a CPU while the other one goes on. */
    @Test
    void waitingForACpuMeanwhileIsNotTooMuchWork() {
        boolean[] mine = steps(new Random(13), 0.6);
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, ROWS * ROW * UNIT_US, "step");
        states(fixture, "main", at -> mine[at]);
        for (int row = 0; row < ROWS; row++) {
            long units = IntStream.range(row * ROW, (row + 1) * ROW)
                    .filter(at -> !mine[at])
                    .count();
            double queuedUs = Math.min(ROW - units, units * 0.45) * UNIT_US;
            fixture.state(
                    "worker",
                    row * ROW * UNIT_US,
                    (row + 1) * ROW * UNIT_US,
                    units * UNIT_US,
                    queuedUs,
                    WaitReason.FUTEX);
        }
        fixture.sample("worker", 0, ROWS * ROW * UNIT_US, "tiktoken/core.py(9): encode");
        Ledger ledger = judged(fixture);

        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isZero();
        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isGreaterThan(blockedNs(mine) / 2);
    }

    /** Of a pool that runs several at once, the one that works longest is waited for. */
    @Test
    void aPoolIsWaitedForUntilItsLastThreadIsDone() {
        boolean[] mine = steps(new Random(4), 0.6);
        Ledger ledger = ledger(mine, at -> !mine[at], at -> !mine[at]);

        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isZero();
        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(blockedNs(mine) / 2);
    }

    /** Each of its threads rests about as long as the main thread works: not because they take turns. */
    @Test
    void aPoolThatWorksForASmallPartOfTheTimeIsWaitedFor() {
        boolean[] mine = steps(new Random(4), 0.85);
        Ledger ledger = ledger(mine, at -> !mine[at] && at % 5 != 0, at -> !mine[at] && at % 5 != 1);

        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isZero();
        assertThat((double) ledger.ns(LedgerClass.CPU_TOKENIZATION))
                .isCloseTo(blockedNs(mine) / 2.0, withinPercentage(2));
    }

    /** A library's thread has a stack of Python only while it calls Python. */
    @Test
    void whatIsSeenOfAWorkerStandsForItsTimeOnACpu() {
        boolean[] mine = steps(new Random(15), 0.6);
        TimelineFixture fixture = threads(mine, at -> !mine[at], at -> false);
        for (int row = 0; row < ROWS; row++) {
            double atUs = row * ROW * UNIT_US;
            fixture.sample("first", atUs, atUs + ROW * UNIT_US / 3.0, "tiktoken/core.py(9): encode");
        }
        Ledger ledger = judged(fixture);

        assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).isZero();
        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(blockedNs(mine));
    }

    /** A profiler's thread that wakes up now and then, and waits for a CPU each time, is not waited for. */
    @Test
    void aThreadThatHardlyRunsIsLeftOut() {
        boolean[] mine = steps(new Random(9), 0.6);
        TimelineFixture fixture = threads(mine, at -> !mine[at], at -> false)
                .sample("first", 0, ROWS * ROW * UNIT_US, "tiktoken/core.py(9): encode");
        for (int row = 0; row < ROWS; row++) {
            fixture.state("profiler", row * ROW * UNIT_US, (row + 1) * ROW * UNIT_US, 50, 2_000, WaitReason.TIMER);
        }
        Ledger ledger = judged(fixture);

        assertThat(ledger.ns(LedgerClass.WAIT_RUN_QUEUE)).isZero();
        assertThat(ledger.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(blockedNs(mine));
    }

    /** As much work as the other one waits, and at any time. */
    @Test
    void aThreadThatWorksBesideItExplainsNothing() {
        for (int seed = 0; seed < Seeds.of(100); seed++) {
            boolean[] mine = steps(new Random(seed + 100), 0.5);
            boolean[] others = steps(new Random(seed + 1_000_000), 0.5);
            Ledger ledger = ledger(mine, at -> others[at], at -> false);

            assertThat(ledger.ns(LedgerClass.WAIT_UNKNOWN)).as("seed %d", seed).isEqualTo(blockedNs(mine));
        }
    }

    /** Its work goes on while the thread runs, so that more of it is unrelated than not. */
    @Test
    void aThreadThatWorksAllTheTimeExplainsNothing() {
        boolean[] mine = steps(new Random(5), 0.6);

        assertThat(ledger(mine, at -> true, at -> false).ns(LedgerClass.WAIT_UNKNOWN))
                .isEqualTo(blockedNs(mine));
    }

    /** It packs the next piece while the main thread goes on: no turns. But nobody else can end the wait. */
    @ParameterizedTest
    @CsvSource({"true, 0, true", "false, 0, false", "true, 1000, false"})
    void theOnlyOtherThreadEndsAWaitThatOnlyTheProcessCanEnd(boolean byOwnProcess, long thirdRunsUs, boolean followed) {
        boolean[] mine = steps(new Random(14), 0.6);
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, ROWS * ROW * UNIT_US, "step");
        states(fixture, "main", at -> mine[at], byOwnProcess);
        states(fixture, "worker", at -> at % 40 != 0, byOwnProcess);
        fixture.state("third", 0, ROW * UNIT_US, 500, 0, WaitReason.FUTEX); // As libraries start threads.
        fixture.state("third", 30 * ROW * UNIT_US, 31 * ROW * UNIT_US, thirdRunsUs, 0, WaitReason.FUTEX);
        fixture.sample("worker", 0, ROWS * ROW * UNIT_US, "tiktoken/core.py(9): encode");

        assertThat(judged(fixture).ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(followed ? 0 : blockedNs(mine));
    }

    /** Two threads that run Python alternate too; what the first one sleeps for is something else. */
    @Test
    void aThreadThatGetsTheGilOnlyThenExplainsNothing() {
        boolean[] mine = steps(new Random(6), 0.6);
        TimelineFixture fixture = threads(mine, at -> !mine[at], at -> false);
        for (int row = 0; row < ROWS; row++) {
            fixture.sample("first", row * ROW * UNIT_US, (row + 1) * ROW * UNIT_US, "hog.py(3): spin");
            fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.WAITS);
        }

        assertThat(judged(fixture).ns(LedgerClass.WAIT_UNKNOWN)).isEqualTo(blockedNs(mine));
    }

    /** A walk from the judged thread to the first one asks for the first one's workers, of which the judged thread is one. */
    @Test
    void workersOfAnAwaitedThreadAreReadBesideTheWalk() {
        boolean[] mine = steps(new Random(7), 0.5);
        TimelineFixture fixture = threads(mine, at -> !mine[at] && at % 10 != 0, at -> false)
                .sample("first", 0, ROWS * ROW * UNIT_US, "tiktoken/core.py(9): encode");
        for (int row = 0; row < ROWS; row++) {
            fixture.sample("main", row * ROW * UNIT_US, (row + 1) * ROW * UNIT_US, "serve.py(" + row + "): step");
        }
        handOverFromFirst(fixture, mine);

        assertThat((double) judged(fixture).ns(LedgerClass.WAIT_UNKNOWN)).isLessThan(0.1 * blockedNs(mine));
    }

    /** Where a thread that is waited for sleeps, the thread that waits for it is no reason. */
    @Test
    void theOneThatWaitsExplainsNoWaitOfTheOneItWaitsFor() {
        boolean[] mine = steps(new Random(8), 0.5);
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, ROWS * ROW * UNIT_US, "step");
        states(fixture, "main", at -> mine[at], true);
        states(fixture, "first", at -> !mine[at] && at % 2 == 0, true);
        fixture.sample("first", 0, ROWS * ROW * UNIT_US, "tiktoken/core.py(9): encode");
        handOverFromFirst(fixture, mine);

        assertThat(judged(fixture).ns(LedgerClass.CPU_PYTHON)).isEqualTo(us(ROWS * ROW * UNIT_US) - blockedNs(mine));
    }

    private static void handOverFromFirst(TimelineFixture fixture, boolean[] mine) {
        int from = 0;
        for (int at = 1; at < mine.length; at++) {
            from = mine[at - 1] && !mine[at] ? at : from;
            if (!mine[at - 1] && mine[at]) {
                fixture.handedOver("first", "main", from * UNIT_US, at * UNIT_US);
            }
        }
    }

    private static Ledger ledger(boolean[] mine, IntPredicate first, IntPredicate second) {
        int endUs = ROWS * ROW * UNIT_US;
        return judged(threads(mine, first, second)
                .sample("first", 0, endUs, "tiktoken/core.py(9): encode")
                .sample("second", 0, endUs, "PIL/Image.py(9): open"));
    }

    private static Ledger judged(TimelineFixture fixture) {
        return new Analyzer().analyze(fixture.build(), "alternating").ledgers().get(0);
    }

    private static TimelineFixture threads(boolean[] mine, IntPredicate first, IntPredicate second) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, ROWS * ROW * UNIT_US, "step");
        states(fixture, "main", at -> mine[at]);
        states(fixture, "first", first);
        states(fixture, "second", second);
        return fixture;
    }

    private static void states(TimelineFixture fixture, String thread, IntPredicate works) {
        states(fixture, thread, works, false);
    }

    private static void states(TimelineFixture fixture, String thread, IntPredicate works, boolean endedByOwnProcess) {
        for (int row = 0; row < ROWS; row++) {
            long units =
                    IntStream.range(row * ROW, (row + 1) * ROW).filter(works).count();
            fixture.state(thread, row * ROW * UNIT_US, (row + 1) * ROW * UNIT_US, units * UNIT_US, 0, WaitReason.FUTEX);
            if (endedByOwnProcess) {
                fixture.waiting(WaitDetail.ENDED_BY_OWN_PROCESS);
            }
        }
    }

    /** Work and rest in turns, of 2 to 40 ms together; the first is {@code share} of it. */
    private static boolean[] steps(Random random, double share) {
        boolean[] works = new boolean[ROWS * ROW];
        int at = random.nextInt(20);
        while (at < works.length) {
            int units = 20 + random.nextInt(380);
            int end = at + (int) (units * share);
            Arrays.fill(works, at, Math.min(works.length, end), true);
            at += units;
        }
        return works;
    }

    private static long blockedNs(boolean[] mine) {
        return us(IntStream.range(0, mine.length).filter(at -> !mine[at]).count() * UNIT_US);
    }
}
