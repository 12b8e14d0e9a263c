package io.inferscope.analyzer.steps;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Intervals;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordingSlowdownTest {
    private static final long PERIOD_NS = 1_000_000_000;
    private static final int RUNS = 200;

    /** A program of 10 ms steps whose speed wanders, with outliers, recorded for half of each period. */
    private static final class Run {
        final List<Step> steps = new ArrayList<>();
        final Intervals windows;

        Run(long seed, double slowdown, int periods, double noise, double drift) {
            Random random = new Random(seed * 7919);
            Intervals.Builder builder = new Intervals.Builder(periods);
            for (int i = 0; i < periods; i++) {
                builder.add(i * PERIOD_NS, i * PERIOD_NS + PERIOD_NS / 2);
            }
            windows = builder.build();
            double wander = 0;
            long now = 3_000_000;
            while (now < periods * PERIOD_NS) {
                wander = 0.9 * wander + noise * random.nextGaussian() / 3;
                boolean recorded = now % PERIOD_NS < PERIOD_NS / 2;
                double length = 10e6 * Math.exp(wander + noise * random.nextGaussian()) * (recorded ? 1 + slowdown : 1);
                length *= 1 + drift * now / PERIOD_NS / periods;
                length += random.nextInt(50) == 0 ? 30e6 * random.nextDouble() : 0;
                steps.add(new Step("step", "", now, now + (long) length, null));
                now += (long) length;
            }
        }
    }

    /** 95 % of 200 are 190; with that probability of each, fewer than 181 come in less than one of 300 cases. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.05, 0.2, 0.8})
    void theIntervalContainsThePlantedSlowdown(double slowdown) {
        for (double noise : new double[] {0.01, 0.1}) {
            int contained = 0;
            for (int seed = 0; seed < RUNS; seed++) {
                Run run = new Run(seed, slowdown, 5 + seed % 16, noise, 0.02);
                RecordingSlowdown found =
                        RecordingSlowdown.of(run.steps, run.windows).orElseThrow();
                contained += found.lowRatio() <= 1 + slowdown && 1 + slowdown <= found.highRatio() ? 1 : 0;
            }
            System.out.printf(
                    "slow-down %.2f, noise %.2f: %d of %d intervals contain it%n", slowdown, noise, contained, RUNS);
            assertThat(contained).isGreaterThanOrEqualTo(181);
        }
    }

    @Test
    void theIntervalIsNarrowEnoughToTellFivePercent() {
        Run run = new Run(1, 0.05, 12, 0.02, 0);
        RecordingSlowdown found = RecordingSlowdown.of(run.steps, run.windows).orElseThrow();
        assertThat(found.highRatio() - found.lowRatio()).isLessThan(0.05);
        assertThat(found.lowRatio()).isGreaterThan(1);
    }

    @Test
    void stepsOfOneSideOrOfFewWindowsSayNothing() {
        Run run = new Run(1, 0.2, 3, 0.01, 0);
        assertThat(RecordingSlowdown.of(run.steps, run.windows)).isEmpty();
        Run full = new Run(1, 0.2, 12, 0.01, 0);
        List<Step> inside = full.steps.stream()
                .filter(step -> step.startNs() % PERIOD_NS < PERIOD_NS / 2)
                .toList();
        assertThat(RecordingSlowdown.of(inside, full.windows)).isEmpty();
        assertThat(RecordingSlowdown.of(List.of(), Intervals.EMPTY)).isEmpty();
    }

    @Test
    void numbersThatCannotBeMeantAreNone() {
        for (String text : List.of(
                "", "a b c d", "1 2 3 9", "1.1 1.0 1.2 2", "NaN 1 1 9", "1.1 1.0 1.2", "1 -1 2 9", "1 1 Infinity 9")) {
            assertThat(RecordingSlowdown.markedIn(text)).as(text).isEmpty();
        }
        assertThat(RecordingSlowdown.markedIn("1.06 1.04 1.08 12")).isPresent();
    }
}
