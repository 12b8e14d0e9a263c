package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bounds of a ledger against the truth: random threads that tokenize and do something else in turn, of which counters say every 10 ms how
 * long they were on a CPU. The truth is known every 0.1 ms.
 */
class StateBoundsTest {
    /** A share of fewer trials says nothing about a limit of 95 %. */
    private static final int LEAST_TRIALS = 40;

    private static final int TRIALS = Math.max(LEAST_TRIALS, Seeds.of(200, 4));
    private static final int ROWS = 300;
    private static final int TICKS = 100;
    private static final long TICK_NS = 100_000;

    private long boundNs;
    private long errorNs;

    /**
     * How likely the thread is on a CPU in either activity, how long the activities last at most, and how many times the mean error the mean bound
     * may be. 1.96 standard deviations are 2.5 times the mean error. What is more, most where short activities make all rows much alike, is
     * that a habit which is not there cannot be told from one that is small.
     */
    @ParameterizedTest
    @CsvSource({
        "0.5, 0.5, 150, 8",
        "0.2, 0.2, 40, 12",
        "0.9, 0.9, 400, 8",
        "1.0, 0.1, 150, 3",
        "0.1, 0.8, 150, 3",
        "0.7, 0.3, 60, 4",
    })
    void theTruthLiesWithinTheBoundAndTheBoundIsNotFarFromIt(
            double whileTokenizing, double otherwise, int longest, double mostTimes) {
        int outside = 0;
        double bounds = 0;
        double errors = 0;
        for (int seed = 0; seed < TRIALS; seed++) {
            run(new Random(seed), whileTokenizing, otherwise, longest);
            outside += errorNs > boundNs ? 1 : 0;
            bounds += boundNs;
            errors += errorNs;
        }

        assertThat(outside).isLessThanOrEqualTo((int) Math.ceil(0.05 * TRIALS));
        assertThat(bounds / errors).isBetween(1.0, mostTimes);
    }

    private void run(Random random, double whileTokenizing, double otherwise, int longest) {
        TimelineFixture fixture = TimelineFixture.blank();
        boolean tokenizes = random.nextBoolean();
        boolean runs = random.nextBoolean();
        int activityLeft = 0;
        int activityStart = 0;
        int stateLeft = 0;
        int onCpu = 0;
        long truth = 0;
        for (int tick = 0; tick < ROWS * TICKS; tick++) {
            if (activityLeft-- == 0) {
                scope(fixture, tokenizes, activityStart, tick);
                activityStart = tick;
                tokenizes = !tokenizes;
                activityLeft = random.nextInt(longest);
                stateLeft = 0;
            }
            if (stateLeft-- == 0) {
                runs = random.nextDouble() < (tokenizes ? whileTokenizing : otherwise);
                stateLeft = random.nextInt(30);
            }
            onCpu += runs ? 1 : 0;
            truth += runs && tokenizes ? 1 : 0;
            if (tick % TICKS == TICKS - 1) {
                long endNs = (tick + 1) * TICK_NS;
                fixture.stateNs("main", endNs - TICKS * TICK_NS, endNs, onCpu * TICK_NS, 0, WaitReason.TIMER);
                onCpu = 0;
            }
        }
        scope(fixture, tokenizes, activityStart, ROWS * TICKS);
        Ledger ledger = Analysis.of(fixture.build(), Thresholds.defaults())
                .ledger(LedgerPart.WINDOW)
                .orElseThrow();
        assertThat(ledger.durationNs()).isEqualTo(ROWS * TICKS * TICK_NS);
        ledger.entries().forEach(entry -> {
            if (entry.ledgerClass() == LedgerClass.WAIT_TIMER) {
                assertThat(entry.boundNs())
                        .as("one class has all blocked time of a row")
                        .isZero();
            }
            if (entry.ledgerClass() == LedgerClass.CPU_TOKENIZATION) {
                boundNs = entry.boundNs();
            }
        });
        errorNs = Math.abs(ledger.ns(LedgerClass.CPU_TOKENIZATION) - truth * TICK_NS);
    }

    private static void scope(TimelineFixture fixture, boolean tokenizes, int fromTick, int toTick) {
        if (toTick > fromTick) {
            String name = tokenizes ? "tokenize" : "step";
            fixture.scope("main", fromTick * TICK_NS / 1e3, toTick * TICK_NS / 1e3, name);
        }
    }
}
