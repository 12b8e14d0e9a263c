package io.inferscope.analyzer.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.diff.Comparison.Shift;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The interval must cover the truth as often as it says, whatever the durations are like. */
class RankShiftTest {
    private static final int TRIALS = 400;

    /** Correlation 0 is independent; 0.6 is like a clock that drifts over tens of steps. */
    @ParameterizedTest
    @CsvSource({"5, 5, 0", "8, 30, 0", "40, 25, 0", "60, 90, 0", "40, 40, 0.3", "120, 100, 0.6"})
    void theIntervalCoversTheTruth(int before, int after, double correlation) {
        Random random = new Random(before * 31L + after);
        int covered = 0;
        for (int i = 0; i < TRIALS; i++) {
            Shift shift = shift(series(random, before, 1e6, correlation), series(random, after, 1.1e6, correlation));
            covered += shift.lowRatio() <= 1.1 && 1.1 <= shift.highRatio() ? 1 : 0;
        }

        // 99 % of 400 is 396 with a deviation of 2; a short correlated series is known worse than it is.
        assertThat(covered).isGreaterThanOrEqualTo(correlation == 0 ? 390 : 376);
    }

    @Test
    void aChangeThatIsThereIsSeen() {
        Random random = new Random(7);
        Shift shift = shift(series(random, 60, 1e6, 0), series(random, 60, 1.3e6, 0));

        assertThat(shift.isBeyondNoise()).isTrue();
        assertThat(shift.ratio()).isCloseTo(1.3, within(0.06)).isBetween(shift.lowRatio(), shift.highRatio());
    }

    @Test
    void theSameDurationsAreNoChange() {
        long[] durations = {100, 120, 90, 300, 101, 99};

        Shift shift = shift(durations, durations);
        assertThat(shift.ratio()).isEqualTo(1);
        assertThat(shift.lowRatio())
                .isCloseTo(1 / shift.highRatio(), within(1e-12))
                .isLessThan(1);
        assertThat(shift(new long[] {7, 7, 7, 7, 7}, new long[] {7, 7, 7, 7, 7}).isBeyondNoise())
                .isFalse();
    }

    @Test
    void fewerThanFiveOnASideAllowNoStatement() {
        assertThat(RankShift.of(new long[] {1, 1, 1, 1}, new long[100])).isNull();
        assertThat(RankShift.of(new long[5], new long[5])).isNotNull();
    }

    @Test
    void oneOutlierMovesNothing() {
        Random random = new Random(3);
        long[] before = series(random, 50, 1e6, 0);
        long[] after = series(random, 50, 1e6, 0);
        after[20] *= 1_000;

        assertThat(shift(before, after).ratio()).isCloseTo(1, within(0.06));
    }

    @Test
    void manyDurationsAreThinnedWithoutLosingTheChange() {
        long[] before = LongStream.range(0, 100_000).map(i -> 1_000 + i % 7).toArray();
        long[] after = Arrays.stream(before).map(ns -> 2 * ns).toArray();

        Shift shift = shift(before, after);

        assertThat(shift.beforeSamples()).isEqualTo(100_000);
        assertThat(shift.ratio()).isCloseTo(2, within(0.01));
    }

    private static Shift shift(long[] before, long[] after) {
        return java.util.Objects.requireNonNull(RankShift.of(before, after));
    }

    /** Log-normal durations around a median, each correlated with the one before. */
    private static long[] series(Random random, int count, double medianNs, double correlation) {
        double state = random.nextGaussian();
        long[] durations = new long[count];
        for (int i = 0; i < count; i++) {
            durations[i] = Math.round(medianNs * Math.exp(0.2 * state));
            state = correlation * state + Math.sqrt(1 - correlation * correlation) * random.nextGaussian();
        }
        return durations;
    }
}
