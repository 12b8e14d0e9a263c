package io.inferscope.analyzer.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.diff.Comparison.Outcome;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RepeatedRunsTest {
    /** By hand: ln 1.1 = 0.0953; s = 0.01 of two and two runs, t(2) = 9.925: 9.925 * 0.01 * sqrt(1/2 + 1/2) = 0.0993. */
    @Test
    void theIntervalIsThatOfStudent() {
        double off = 0.01 / Math.sqrt(2);
        Shift shift = Objects.requireNonNull(RepeatedRuns.shift(
                new long[] {ns(1e9 * Math.exp(-off)), ns(1e9 * Math.exp(off))},
                new long[] {ns(1.1e9 * Math.exp(-off)), ns(1.1e9 * Math.exp(off))}));

        assertThat(shift.ratio()).isCloseTo(1.1, within(1e-6));
        assertThat(Math.log(shift.highRatio() / shift.ratio())).isCloseTo(0.09925, within(1e-5));
        assertThat(Math.log(shift.ratio() / shift.lowRatio())).isCloseTo(0.09925, within(1e-5));
        assertThat(shift.isBeyondNoise()).isFalse();
    }

    @Test
    void twoRunsShowNoDifferenceBetweenRuns() {
        assertThat(RepeatedRuns.shift(new long[] {100}, new long[] {200})).isNull();
        assertThat(RepeatedRuns.shift(new long[] {100, 101}, new long[] {200})).isNotNull();
    }

    @Test
    void aChangeThatIsLessThanRunsDifferIsNoise() {
        List<Side> before = runs(100, 104, 96);
        List<Side> after = runs(97, 101, 94);
        RepeatedRuns runs = new RepeatedRuns(before, after);

        assertThat(runs.refusal()).isEmpty();
        assertThat(Diff.of(before.get(0), after.get(0)).outcome())
                .as("one run of each")
                .isEqualTo(Outcome.FASTER);
        assertThat(runs.typicalBefore()).isZero();
        assertThat(runs.typicalAfter()).isZero();
        Comparison comparison = Diff.of(before.get(0), after.get(0), runs);
        assertThat(comparison.outcome()).isEqualTo(Outcome.WITHIN_NOISE);
        assertThat(comparison.runs().beforeNs()).containsExactly(100_000L, 104_000L, 96_000L);
        assertThat(comparison.conclusion().get(1))
                .isEqualTo("100 us, 104 us, 96.0 us in the runs before, 97.0 us, 101 us, 94.0 us in those after;"
                        + " below, those of median pace are compared.");
    }

    @Test
    void aChangeBeyondTheDifferenceOfRunsIsFound() {
        List<Side> before = runs(100, 101, 99);
        List<Side> after = runs(79, 80, 81);

        Comparison comparison = Diff.of(before.get(0), after.get(1), new RepeatedRuns(before, after));

        assertThat(comparison.outcome()).isEqualTo(Outcome.FASTER);
        assertThat(comparison.conclusion().get(0)).contains(", in all runs on average 20.0% less (99% interval -2");
    }

    @Test
    void oneRunOfEachWithALittleChangeIsToldApart() {
        List<Side> sides = runs(100, 97, 50);

        assertThat(Diff.of(sides.get(0), sides.get(1)).conclusion().get(1))
                .startsWith("One run of each: runs of one program may differ by as much.");
        assertThat(Diff.of(sides.get(0), sides.get(2)).conclusion())
                .noneMatch(line -> line.startsWith("One run of each"));
    }

    @Test
    void runsOfOtherStepsAreRefused() {
        Side other = Side.of(
                new Analyzer(), TimelineFixture.blank().scope("main", 0, 5, "x").build(), "other");

        assertThat(new RepeatedRuns(List.of(run(100), other), List.of(run(80))).refusal())
                .contains(
                        "other does not consist of the same steps or requests as 100 us (`ProfilerStep`): leave it out");
        assertThat(new RepeatedRuns(List.of(run(100)), List.of(run(80), other)).refusal())
                .contains(
                        "other does not consist of the same steps or requests as 80 us (`ProfilerStep`): leave it out");
    }

    @Test
    void theRunThatCarriesNoVerdictStandsForItsProgram() {
        Side damaged = Side.of(new Analyzer(), TimelineFixture.blank().build(), "empty");
        RepeatedRuns runs = new RepeatedRuns(List.of(run(100), damaged, run(90)), List.of(run(80)));

        assertThat(runs.typicalBefore()).isEqualTo(1);
    }

    @Test
    void aSideWithoutItsRecordingKnowsItsSteps() {
        Side recorded = run(100);
        Side kept = recorded.withoutRecording();

        assertThat(kept.explained()).isEmpty();
        assertThat(Objects.requireNonNull(kept.steps(recorded.report().window()).get("ProfilerStep"))
                        .durationsNs())
                .hasSize(30)
                .containsOnly(100_000L);
    }

    private static List<Side> runs(int... stepsUs) {
        return Arrays.stream(stepsUs).mapToObj(RepeatedRunsTest::run).toList();
    }

    /** Thirty steps of a length. */
    private static Side run(int stepUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 30; i++) {
            fixture.scope("main", i * stepUs, (i + 1) * stepUs, "ProfilerStep#" + i);
        }
        return Side.of(new Analyzer(), fixture.build(), stepUs + " us");
    }

    private static long ns(double value) {
        return Math.round(value);
    }
}
