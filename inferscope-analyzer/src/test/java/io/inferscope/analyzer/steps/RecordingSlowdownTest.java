package io.inferscope.analyzer.steps;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RecordingPace;
import io.inferscope.timeline.RecordingPace.Detail;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
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

    /** Others take half of the CPU, in slices of 4 ms, at random moments: a longer step is interrupted more often. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.2, 0.8})
    void theIntervalContainsThePlantedSlowdownOnAMachineThatOthersUse(double slowdown) {
        int contained = 0;
        for (int seed = 0; seed < RUNS; seed++) {
            Random random = new Random(seed * 104729);
            Run run = new Run(seed, 0, 8, 0.01, 0);
            run.steps.clear();
            for (double now = 0; now < 8.0 * PERIOD_NS; ) {
                double work = 4e6 * (now % PERIOD_NS < PERIOD_NS / 2.0 ? 1 + slowdown : 1);
                double length = work;
                for (double at = slice(random); at < work; at += slice(random)) {
                    length += slice(random);
                }
                run.steps.add(new Step("step", "", (long) now, (long) (now + length), null));
                now += length;
            }
            RecordingSlowdown found =
                    RecordingSlowdown.of(run.steps, run.windows).orElseThrow();
            assertThat(found.compared()).isEqualTo(RecordingSlowdown.Compared.MEANS);
            contained += found.lowRatio() <= 1 + slowdown && 1 + slowdown <= found.highRatio() ? 1 : 0;
        }
        System.out.printf(
                "slow-down %.2f, half of the CPU: %d of %d intervals contain it%n", slowdown, contained, RUNS);
        assertThat(contained).isGreaterThanOrEqualTo(181);
    }

    private static double slice(Random random) {
        return -4e6 * Math.log(1 - random.nextDouble());
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

    /** Windows of 1 s and as much between them; without ranges. Windows of the second detail begin in the middle. */
    private static Timeline counted(int[] between, int[] recorded) {
        return counted(between, recorded, PERIOD_NS, PERIOD_NS);
    }

    private static Timeline counted(int[] between, int[] recorded, long busyNs, long recordedBusyNs) {
        List<RecordingPace> paces = new ArrayList<>();
        Intervals.Builder windows = new Intervals.Builder(between.length);
        for (int i = 0; i < between.length; i++) {
            long startNs = 2 * i * PERIOD_NS;
            Detail detail = 2 * i < between.length ? Detail.FULL : Detail.LAUNCHES;
            windows.add(startNs, startNs + PERIOD_NS);
            paces.add(new RecordingPace(detail, startNs, startNs + PERIOD_NS, recorded[i], recordedBusyNs));
            paces.add(new RecordingPace(Detail.OFF, startNs + PERIOD_NS, startNs + 2 * PERIOD_NS, between[i], busyNs));
        }
        TimelineFixture fixture = TimelineFixture.blank();
        RecordingPace.mark(fixture.builder(), paces, 0);
        DeviceWindows.mark(fixture.builder(), windows.build(), 0);
        return fixture.build();
    }

    @Test
    void withoutStepsTheTimePerLaunchIsComparedOfWindowsLikeTheJudgedOne() {
        int[] between = {1000, 1010, 990, 1005, 1000, 1010, 990, 1005, 1000, 1010};
        int[] recorded = {500, 505, 495, 502, 500, 909, 891, 905, 900, 909};
        Timeline timeline = counted(between, recorded);
        Intervals windows = DeviceWindows.of(timeline).orElseThrow();

        RecordingSlowdown last = RecordingSlowdown.of(timeline, windows, 9).orElseThrow();
        assertThat(last.detail()).isEqualTo(Detail.LAUNCHES);
        assertThat(last.pairs()).isEqualTo(5);
        assertThat(last.lowRatio()).isLessThan(1.111);
        assertThat(last.highRatio()).isBetween(1.111, 1.14);
        RecordingSlowdown first = RecordingSlowdown.of(timeline, windows, 0).orElseThrow();
        assertThat(first.detail()).isEqualTo(Detail.FULL);
        assertThat(first.ratio()).isBetween(1.99, 2.01);
        assertThat(first.sentence()).contains("(--gpu-detail full) made the time per launch 100 % longer");
        Timeline part = first.markedIn(timeline);
        assertThat(RecordingSlowdown.in(part)).contains(first);
        assertThat(RecordingSlowdown.in(last.markedIn(timeline))).contains(last);
    }

    /** A server whose requests come as often however slow it is: launches of 50 us take 75 while they are recorded. */
    @Test
    void aServerWithFewRequestsIsComparedWithoutItsPauses() {
        int[] launches = {1000, 1010, 990, 1005, 1000, 1010, 990, 1005, 1000, 1010};
        Timeline timeline = counted(launches, launches, 50_000_000, 75_000_000);
        Intervals windows = DeviceWindows.of(timeline).orElseThrow();
        RecordingSlowdown found = RecordingSlowdown.of(timeline, windows, 9).orElseThrow();
        assertThat(found.compared()).isEqualTo(RecordingSlowdown.Compared.BUSY);
        assertThat(found.ratio()).isBetween(1.49, 1.51);
        assertThat(found.sentence())
                .contains("made the time per launch, without pauses of the program of more than 1 ms, 50 % longer")
                .contains("so idle time is as recorded");
        assertThat(found.idleWithout(0.5, false)).isEmpty();
        assertThat(RecordingSlowdown.in(found.markedIn(timeline))).contains(found);
        RecordingSlowdown equal = RecordingSlowdown.of(counted(launches, launches, 50_000_000, 50_000_000), windows, 9)
                .orElseThrow();
        assertThat(equal.compared()).isEqualTo(RecordingSlowdown.Compared.BUSY);
        assertThat(equal.sentence()).contains("not measurably longer").doesNotContain("idle time");
        assertThat(RecordingSlowdown.of(counted(launches, launches, -50_000_000, -75_000_000), windows, 9))
                .as("waits for CPUs")
                .isEmpty();
        Timeline busy = counted(launches, launches, 950_000_000, 950_000_000);
        assertThat(RecordingSlowdown.of(busy, windows, 9).orElseThrow().compared())
                .isEqualTo(RecordingSlowdown.Compared.LAUNCHES);
    }

    @Test
    void threeWindowsOfADetailSayNothingHoweverManyOthersThereAre() {
        Timeline timeline = counted(new int[] {100, 100, 100, 100, 100, 100}, new int[] {50, 50, 50, 90, 90, 90});
        Intervals windows = DeviceWindows.of(timeline).orElseThrow();
        assertThat(RecordingSlowdown.of(timeline, windows, 0)).isEmpty();
        assertThat(RecordingSlowdown.of(timeline, windows, 5)).isEmpty();
    }

    /** Steps of 10 ms, while they are sampled of 11 ms; {@code pauses} of a second each. */
    private static Timeline sampled(int pauses) {
        TimelineFixture fixture = TimelineFixture.blank();
        List<RecordingPace> paces = new ArrayList<>();
        for (int i = 0; i < 2 * pauses; i++) {
            long startNs = i * PERIOD_NS;
            boolean on = i % 2 == 0;
            paces.add(new RecordingPace(on ? Detail.FULL : Detail.OFF, startNs, startNs + PERIOD_NS, 0, 0));
            for (int step = 0; step < 80; step++) {
                long atNs = startNs + step * 12_000_000L;
                long ns = (on ? 11_000_000 : 10_000_000) + (step * 7919 + i * 104729) % 1000;
                fixture.hostNs(RowKind.ANNOTATION, "main", atNs, atNs + ns, "step");
            }
        }
        RecordingPace.markSampling(fixture.builder(), paces, 0);
        return fixture.build();
    }

    @Test
    void samplingIsComparedWithItsPausesIfThereAreEnough() {
        RecordingSlowdown found = RecordingSlowdown.ofSampling(sampled(5)).orElseThrow();
        assertThat(found.ratio()).isBetween(1.099, 1.101);
        assertThat(found.samplingSentence())
                .startsWith("Sampling made steps 10 % longer (+9 to +10 %): the medians of 5 windows");
        assertThat(RecordingSlowdown.ofSampling(sampled(3))).isEmpty();
        assertThat(RecordingSlowdown.ofSampling(TimelineFixture.blank().build()))
                .isEmpty();
    }

    /** Without the probe a step takes 10 ms; storing its records takes 0.5 ms, and so much again in every second of ten periods. */
    private static Timeline storedTwice(boolean probed) {
        TimelineFixture fixture = TimelineFixture.blank();
        List<RecordingPace> paces = new ArrayList<>();
        for (int period = 0; period < 10; period++) {
            boolean twice = period % 2 == 1;
            long startNs = 2 * period * PERIOD_NS;
            long middleNs = startNs + PERIOD_NS;
            paces.add(new RecordingPace(Detail.FULL, startNs, middleNs, twice ? 1 : 0, 0));
            paces.add(new RecordingPace(Detail.OFF, middleNs, startNs + 2 * PERIOD_NS, twice ? 1 : 0, 0));
            for (int step = 0; step < 160; step++) {
                long atNs = startNs + step * 12_000_000L;
                long ns = (twice ? 11_000_000 : 10_500_000) + (step * 7919 + period * 104729) % 1000;
                fixture.hostNs(RowKind.ANNOTATION, "main", atNs, atNs + ns, "step");
            }
        }
        RecordingPace.markSampling(fixture.builder(), paces, 0);
        if (probed) {
            fixture.builder().property(ProcessFact.TWICE.property("1"), "1000000000");
        }
        return fixture.build();
    }

    @Test
    void whatDoingItsWorkTwiceAddsIsWhatTheProbeCosts() {
        RecordingSlowdown found = RecordingSlowdown.ofProbe(storedTwice(true)).orElseThrow();
        assertThat(found.ratio()).isBetween(1.0499, 1.0501);
        assertThat(found.pairs()).isEqualTo(4);
        assertThat(found.probeSentence())
                .isEqualTo(
                        "The probe made steps 5 % longer (+4 to +7 %): in 4 periods it did its work twice, and the medians of"
                                + " those differ by that from the next ones'.");
        assertThat(RecordingSlowdown.ofProbe(storedTwice(false))).isEmpty();
        assertThat(RecordingSlowdown.ofProbe(sampled(5))).isEmpty();
    }

    /** A step of 4 ms of which the device works 1 ms; without recording it takes 2 ms. */
    @Test
    void withoutRecordingAStepHasTheSameWorkInLessTime() {
        RecordingSlowdown twice = RecordingSlowdown.markedIn("2 1.9 2.1 8").orElseThrow();
        assertThat(twice.idleWithout(0.25, false)).isEqualTo("50% (47 to 53)");
        assertThat(twice.idleWithout(0.9, false)).isEqualTo("0% (0 to 0)");
        assertThat(RecordingSlowdown.markedIn("1.2 0.9 1.5 8").orElseThrow().idleWithout(0.25, false))
                .isEmpty();
        assertThat(RecordingSlowdown.markedIn("0.9 0.8 0.95 8").orElseThrow().idleWithout(0.25, false))
                .isEmpty();
    }

    /**
     * A step of 599 us, of which the device is busy for 322 us with 300 kernels of a graph. Without recording both are 45 us
     * less, as measured once: the step 554 us, its work 277 us, half of it.
     */
    @Test
    void recordingTheNodesOfAGraphMayTakeTheDevicesTime() {
        RecordingSlowdown slowdown =
                RecordingSlowdown.markedIn("1.081 1.075 1.09 8").orElseThrow();
        assertThat(slowdown.idleWithout(322.0 / 599, true)).isEqualTo("41 to 51%");
        assertThat(slowdown.idleWithout(322.0 / 599, false)).isEqualTo("42% (41 to 43)");
    }

    @Test
    void numbersThatCannotBeMeantAreNone() {
        for (String text : List.of(
                "",
                "a b c d",
                "1.1 1.0 1.2 8 some",
                "1.1 1.0 1.2 8 means all",
                "1 2 3 9",
                "1.1 1.0 1.2 2",
                "NaN 1 1 9",
                "1.1 1.0 1.2",
                "1 -1 2 9",
                "1 1 Infinity 9")) {
            assertThat(RecordingSlowdown.markedIn(text)).as(text).isEmpty();
        }
        assertThat(RecordingSlowdown.markedIn("1.06 1.04 1.08 12")).isPresent();
    }
}
