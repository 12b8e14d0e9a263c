package io.inferscope.analyzer.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Outcome;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DiffTest {
    private static final String LAUNCH_BOUND = """
            us           0         10        20        30        40
            thread main  LL..<aten::mm      >LL....<aten::mm    >LL
            stream 7     ..KK................KK..................KK
            links in order
            """;

    @Test
    void aRecordingAgainstItselfIsNoChange() {
        Comparison comparison = diff(LAUNCH_BOUND, LAUNCH_BOUND);

        assertThat(comparison.outcome()).isEqualTo(Outcome.SAME);
        assertThat(comparison.conclusion()).containsExactly("No change: every figure is the same before and after.");
        assertThat(comparison.cautions()).isEmpty();
    }

    @Test
    void aReportAgainstItselfIsNoChange() {
        Comparison comparison = Diff.of(reported(LAUNCH_BOUND), reported(LAUNCH_BOUND));

        assertThat(comparison.outcome()).isEqualTo(Outcome.SAME);
        assertThat(comparison.before().format()).isEqualTo("InferScope report");
    }

    @Test
    void reportsAreAlignedAsFarAsTheyGo() {
        String faster = """
                us           0         10        20        30        40
                thread main  LL<aten::mm>LL..<aten::mm>LL
                stream 7     ..KK..........KK............KK
                links in order
                """;
        Comparison comparison = Diff.of(reported(LAUNCH_BOUND), reported(faster));
        Comparison mixed = Diff.of(reported(LAUNCH_BOUND), side(faster));
        Comparison recorded = diff(LAUNCH_BOUND, faster);

        assertThat(comparison.conclusion()).isEqualTo(recorded.conclusion());
        assertThat(comparison.groups())
                .extracting(Comparison.Group::id)
                .containsExactlyElementsOf(
                        recorded.groups().stream().map(Comparison.Group::id).toList());
        assertThat(change(comparison, "ledger", "operator dispatch"))
                .isEqualTo(change(recorded, "ledger", "operator dispatch"));
        assertThat(change(comparison, "operators", "aten::mm").beforeCount()).isEqualTo(2);
        assertThat(comparison.cautions().get(0)).startsWith("JSON reports hold no single durations");
        assertThat(mixed.groups()).isEqualTo(comparison.groups());
        assertThat(mixed.after().format()).isNotEqualTo("InferScope report");
    }

    @Test
    void stepsOfReportsAreComparedWithoutAWordOnNoise() {
        Comparison comparison = Diff.of(
                Side.of(steps(100).report(), "before"), Side.of(steps(120).report(), "after"));

        assertThat(comparison.outcome()).isEqualTo(Outcome.SLOWER);
        assertThat(comparison.unit()).isEqualTo(WorkUnit.STEP);
        assertThat(comparison.pace().shift()).isNull();
        assertThat(comparison.pace().grownRatio()).isCloseTo(0.2, within(0.001));
        assertThat(comparison.conclusion()).contains("The noise is unknown: a report holds no single steps.");
        assertThat(comparison.groups())
                .filteredOn(group -> !group.perUnit())
                .extracting(Comparison.Group::id)
                .contains("parts", "steps", "kernels");
        assertThat(change(comparison, "kernels", "gemm").beforeCount()).isEqualTo(8);
    }

    @Test
    void reportsOfUnlikeProgramsCannotBeCompared() {
        assertThat(Diff.of(reported(LAUNCH_BOUND), reported("""
                        us           0         10
                        thread main  LL[train  ]
                        name K = conv
                        stream 7     ..KKKK....
                        links in order
                        """)).outcome()).isEqualTo(Outcome.INCOMPARABLE);
    }

    @Test
    void whatAnotherRecordingCapturedIsNotInCommon() {
        Timeline after = TimelineFixture.drawing("""
                        us           0         10
                        thread main  LL[train  ]
                        name K = conv
                        stream 7     ..KKKK....
                        links in order
                        """)
                .captured(RowKind.OPERATOR, "main", -900, -800, "aten::mm")
                .build();

        assertThat(Diff.of(side(LAUNCH_BOUND), side(after)).outcome()).isEqualTo(Outcome.INCOMPARABLE);
    }

    @Test
    void whatAFindingThatIsGoneHadClaimedIsComparedWithWhatWasGot() {
        Comparison comparison = Diff.of(tokenizing(40), tokenizing(0));
        Comparison smaller = Diff.of(tokenizing(40), tokenizing(15));
        Comparison within = Diff.of(tokenizing(40), tokenizing(40));

        assertThat(comparison.conclusion())
                .anySatisfy(sentence -> assertThat(sentence)
                        .matches("`[a-z-]+` is gone.*: claimed 3\\d\\.\\d% to 4\\d\\.\\d%, got 40\\.0%.*"));
        assertThat(smaller.conclusion()).anyMatch(sentence -> sentence.contains("is smaller: claimed 3"));
        assertThat(within.conclusion()).noneMatch(sentence -> sentence.contains("claimed"));
    }

    @Test
    void aProgramThatDoesHalfOfEverythingActsOnNothing() {
        Comparison comparison = Diff.of(tokenizing(40, 60), tokenizing(20, 30));

        assertThat(comparison.outcome()).isEqualTo(Outcome.FASTER);
        assertThat(comparison.conclusion()).noneMatch(sentence -> sentence.contains("claimed"));
    }

    /** The claim is of the steady state, 5 ms of 7; where steps are on one side only, the windows are compared. */
    @Test
    void aClaimIsOfWhatIsCompared() {
        TimelineFixture before = TimelineFixture.blank().scope("main", 0, 2000, "prepare");
        for (int at = 2000; at < 7000; at += 100) {
            before.scope("main", at, at + 100, "ProfilerStep#" + at);
            before.scope("main", at, at + 40, "tokenization");
            before.scope("main", at + 40, at + 100, "llm_inference");
        }
        TimelineFixture after =
                TimelineFixture.blank().scope("main", 0, 2000, "prepare").scope("main", 2000, 5000, "llm_inference");

        assertThat(Diff.of(side(before.build()), side(after.build())).conclusion())
                .anySatisfy(sentence -> assertThat(sentence)
                        .matches("`[a-z-]+` is gone.*: claimed 2\\d\\.\\d% to \\d\\d\\.\\d%, got 28\\.6%(?!, less).*"));
    }

    /** Steps of a tokenizer and then 60 us of other work. */
    private static Side tokenizing(int tokenizerUs) {
        return tokenizing(tokenizerUs, 60);
    }

    private static Side tokenizing(int tokenizerUs, int otherUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        int stepUs = tokenizerUs + otherUs;
        for (int i = 0; i < 50; i++) {
            int at = stepUs * i;
            fixture.scope("main", at, at + stepUs, "ProfilerStep#" + i);
            if (tokenizerUs > 0) {
                fixture.scope("main", at, at + tokenizerUs, "tokenization");
            }
            fixture.scope("main", at + tokenizerUs, at + stepUs, "llm_inference");
        }
        return Side.of(new Analyzer(), fixture.build(), "tokenizing");
    }

    private static Side steps(int stepUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 8; i++) {
            int at = stepUs * i;
            fixture.scope("main", at, at + stepUs, "ProfilerStep#" + i)
                    .kernel("7", at + 20, at + 80, "gemm")
                    .launchedBy("main", at + 5, at + 10);
        }
        return Side.of(new Analyzer(), fixture.build(), "steps");
    }

    private static Side side(String drawing) {
        return Side.of(new Analyzer(), TimelineFixture.draw(drawing), "drawing");
    }

    private static Side reported(String drawing) {
        return Side.of(side(drawing).report(), "drawing");
    }

    @Test
    void saysWhatChangedAndByHowMuch() {
        Comparison comparison = diff(LAUNCH_BOUND, """
                us           0         10        20        30        40
                thread main  LL<aten::mm>LL..<aten::mm>LL
                stream 7     ..KK..........KK............KK
                links in order
                """);

        assertThat(comparison.outcome()).isEqualTo(Outcome.FASTER);
        assertThat(comparison.unit()).isEqualTo(WorkUnit.SPAN);
        assertThat(comparison.pace().beforeNs()).isEqualTo(40_000);
        assertThat(comparison.pace().afterNs()).isEqualTo(28_000);
        assertThat(comparison.conclusion().get(0))
                .isEqualTo("Faster: the span takes 28.0 us instead of 40.0 us, 30.0% less.");
        assertThat(comparison.conclusion().get(1)).startsWith("The noise is unknown: each side is a single sample");
        assertThat(comparison.conclusion().get(2)).startsWith("Operator dispatch fell by ");
        Change dispatch = change(comparison, "ledger", "operator dispatch");
        assertThat(dispatch.id()).isEqualTo("framework.dispatch");
        assertThat(dispatch.grownNs()).isNegative();
        assertThat(change(comparison, "operators", "aten::mm").beforeCount()).isEqualTo(2);
        assertThat(change(comparison, "kernels", "gemm").grownNs()).isZero();
    }

    @Test
    void theOtherWayRoundTheSignsTurn() {
        String faster = LAUNCH_BOUND
                .replace("..<aten::mm      >LL", "<aten::mm>LL")
                .replace("KK................KK", "KK.........KK");
        Comparison there = diff(LAUNCH_BOUND, faster);
        Comparison back = diff(faster, LAUNCH_BOUND);

        assertThat(there.outcome()).isEqualTo(Outcome.FASTER);
        assertThat(back.outcome()).isEqualTo(Outcome.SLOWER);
        for (Comparison.Group group : there.groups()) {
            for (Change change : group.changes()) {
                assertThat(change(back, group.id(), change.name()).grownNs())
                        .isCloseTo(-change.grownNs(), within(1e-9));
            }
        }
    }

    @Test
    void classesOfALedgerChangeByWhatTheWholeChanges() {
        Comparison comparison = diff(LAUNCH_BOUND, LAUNCH_BOUND.replace("........KK", "..............KK"));

        double sum = group(comparison, "ledger").stream()
                .mapToDouble(Change::grownNs)
                .sum();
        assertThat(sum).isCloseTo(comparison.pace().grownNs(), within(1e-6));
    }

    @Test
    void namesOfThreadsAndTheZeroOfTheClockDoNotMatter() {
        Timeline moved = TimelineFixture.draw(LAUNCH_BOUND.replace("main", "work"));

        assertThat(Diff.of(side(TimelineFixture.draw(LAUNCH_BOUND)), side(moved))
                        .outcome())
                .isEqualTo(Outcome.SAME);
    }

    @Test
    void kernelsWithEnoughCallsSayWhetherTheyAreSlower() {
        Comparison comparison = Diff.of(side(kernels(40, 10)), side(kernels(40, 12)));

        Change kernel = change(comparison, "kernels", "gemm");
        Shift shift = Objects.requireNonNull(kernel.shift());
        assertThat(shift.isBeyondNoise()).isTrue();
        assertThat(shift.ratio()).isCloseTo(1.2, within(0.03));
    }

    @Test
    void deviceTimeIsComparedByOperatorEvenIfKernelsHaveOtherNames() {
        Comparison recorded = Diff.of(side(products("gemm", 4)), side(products("Cijk_Ailk", 8)));
        Comparison reported = Diff.of(
                Side.of(side(products("gemm", 4)).report(), "before"),
                Side.of(side(products("Cijk_Ailk", 8)).report(), "after"));

        for (Comparison comparison : List.of(recorded, reported)) {
            Change change = change(comparison, "device-time", "aten::mm");
            assertThat(change.beforeNs()).isEqualTo(24_000);
            assertThat(change.afterNs()).isEqualTo(48_000);
            assertThat(change.beforeCount()).isEqualTo(6);
            assertThat(comparison.conclusion())
                    .contains("Device time by operator: aten::mm grew by 24.0 us (+100.0%).");
        }
        assertThat(Objects.requireNonNull(
                                change(recorded, "device-time", "aten::mm").shift())
                        .ratio())
                .isCloseTo(2, within(1e-9));
    }

    /** Six products of 20 us, each with one kernel. */
    private static Timeline products(String kernel, int kernelUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 6; i++) {
            int at = 20 * i;
            fixture.operator("main", at, at + 10, "aten::mm")
                    .kernel("7", at + 6, at + 6 + kernelUs, kernel)
                    .launchedBy("main", at + 2, at + 5);
        }
        return fixture.build();
    }

    @Test
    void otherProgramsAreNotCompared() {
        Comparison comparison = diff(LAUNCH_BOUND, """
                us           0         10        20        30        40
                thread main  LL..<MatMul        >LL
                name K = conv
                stream 7     ..KK................KK
                links in order
                """);

        assertThat(comparison.outcome()).isEqualTo(Outcome.INCOMPARABLE);
        assertThat(comparison.groups()).extracting(Comparison.Group::id).containsExactly("parts", "ledger");
        assertThat(comparison.cautions())
                .anySatisfy(caution -> assertThat(caution).startsWith("Different amount of work"));
    }

    @Test
    void anotherDeviceIsSaid() {
        Comparison comparison = Diff.of(side(named("NVIDIA A100")), side(named("NVIDIA H100")));

        assertThat(comparison.cautions()).contains("Different device: NVIDIA A100 before, NVIDIA H100 after.");
    }

    @Test
    void aRecordingThatCarriesNoVerdictCarriesNoConclusion() {
        Timeline cut = TimelineFixture.drawing(LAUNCH_BOUND)
                .host(RowKind.RUNTIME_CALL, "main", 50, 5_000_000, "cudaStreamSynchronize")
                .build();
        Comparison comparison = Diff.of(side(TimelineFixture.draw(LAUNCH_BOUND)), side(cut));

        assertThat(comparison.outcome()).isEqualTo(Outcome.WITHHELD);
        assertThat(comparison.conclusion().get(0)).startsWith("No conclusion: the recording after cannot carry one: ");
        assertThat(comparison.isJudged()).isFalse();
    }

    @Test
    void onlyOneWithADeviceComparesTheWindows() {
        Comparison comparison = diff(LAUNCH_BOUND, """
                us           0         10        20        30        40
                thread main  <aten::mm                                >
                """);

        assertThat(comparison.unit()).isEqualTo(WorkUnit.WINDOW);
        assertThat(comparison.cautions().get(0)).startsWith("Only before has device work");
    }

    @Test
    void findingsThatCameAndWentAreListed() {
        Comparison comparison = diff(LAUNCH_BOUND, """
                us           0         10        20        30        40
                thread main  LLLL.<aten::mm>
                stream 7     ..KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK
                links in order
                """);

        assertThat(comparison.findings()).anySatisfy(finding -> {
            assertThat(finding.rule()).isEqualTo("launch-bound");
            assertThat(finding.beforeSeverity()).isEqualTo("critical");
            assertThat(finding.afterSeverity()).isEmpty();
        });
        assertThat(comparison.conclusion()).contains("Verdict: cpu before, gpu after.");
    }

    @Test
    void stepsAreTheUnitWhereBothConsistOfThem() {
        Comparison comparison = Diff.of(side(steps(40, 100)), side(steps(25, 80)));

        assertThat(comparison.unit()).isEqualTo(WorkUnit.STEP);
        assertThat(comparison.before().units()).isGreaterThan(30);
        assertThat(comparison.after().units()).isLessThan(26);
        assertThat(comparison.outcome()).isEqualTo(Outcome.FASTER);
        assertThat(comparison.cautions()).as("fewer steps are not less work").isEmpty();
        Shift shift = Objects.requireNonNull(comparison.pace().shift());
        assertThat(shift.isBeyondNoise()).isTrue();
        assertThat(shift.ratio()).isCloseTo(0.8, within(0.01));
        assertThat(comparison.conclusion().get(0))
                .startsWith("Faster: a step (`ProfilerStep`) takes ")
                .contains("99% interval");
        assertThat(change(comparison, "kernels", "gemm").beforeCount()).isCloseTo(1, within(0.05));
        double sum = group(comparison, "ledger").stream()
                .mapToDouble(Change::afterNs)
                .sum();
        assertThat(sum).as("the ledger of a step").isCloseTo(80_000, within(2_000.0));
    }

    @Test
    void moreStepsOfTheSameLengthAreNoChange() {
        Comparison comparison = Diff.of(side(steps(40, 100)), side(steps(60, 100)));

        assertThat(comparison.outcome()).isEqualTo(Outcome.WITHIN_NOISE);
        assertThat(comparison.conclusion().get(0)).startsWith("No change beyond noise: ");
        assertThat(comparison.conclusion())
                .contains("60 steps instead of 40: all of them take 6.00 ms instead of 3.99 ms (+50.1%).");
    }

    @Test
    void fasterStepsThatAreMoreMayTakeLongerAltogether() {
        Comparison more = Diff.of(side(steps(40, 100)), side(steps(80, 80)));
        Comparison fewer = Diff.of(side(steps(80, 80)), side(steps(40, 100)));

        assertThat(more.conclusion().get(0)).startsWith("Faster per step: a step (`ProfilerStep`) takes ");
        assertThat(more.conclusion())
                .anySatisfy(line -> assertThat(line).endsWith("If both runs did the same work, this one is slower."));
        assertThat(fewer.conclusion().get(0)).startsWith("Slower per step: ");
        assertThat(fewer.conclusion())
                .anySatisfy(line -> assertThat(line).endsWith("If both runs did the same work, this one is faster."));
    }

    @Test
    void stepsThatAlternateAreComparedAsRounds() {
        Comparison recorded = Diff.of(side(rounds(30, 20, 80)), side(rounds(30, 60, 80)));
        Comparison reported = Diff.of(
                Side.of(side(rounds(30, 20, 80)).report(), "before"),
                Side.of(side(rounds(30, 60, 80)).report(), "after"));

        assertThat(recorded.outcome()).isEqualTo(Outcome.SLOWER);
        assertThat(recorded.conclusion().get(0))
                .startsWith("Slower: from one step `forward Decoder` to the next it takes 140 us instead of 100 us");
        assertThat(Objects.requireNonNull(recorded.pace().shift()).ratio()).isCloseTo(1.4, within(0.01));
        assertThat(reported.outcome()).isEqualTo(Outcome.SLOWER);
        assertThat(reported.pace().grownRatio()).isCloseTo(0.4, within(0.01));
    }

    /** Passes of two models in turn, each preceded by nothing. */
    private static Timeline rounds(int count, int encoderUs, int decoderUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        double at = 0;
        for (int i = 0; i < count; i++) {
            double middle = at + encoderUs + i % 3 * 0.1;
            fixture.scope("main", at, middle, "forward Encoder");
            fixture.scope("main", middle, middle + decoderUs, "forward Decoder");
            at = middle + decoderUs;
        }
        return fixture.build();
    }

    @Test
    void anotherMainPlaceOfACauseIsNoNewCause() {
        Comparison comparison = Diff.of(side(placed("read", "tokenise")), side(placed("tokenise", "read")));

        assertThat(group(comparison, "places")).singleElement().satisfies(place -> {
            assertThat(place.name()).isEqualTo("the program's own code: ProfilerStep# at app.py tokenise");
            assertThat(place.formerly()).isEqualTo("the program's own code: ProfilerStep# at app.py read");
            assertThat(place.grownNs()).isZero();
        });
    }

    /** Steps of 100 us, of which one function has 60 us and another one the rest. */
    private static Timeline placed(String most, String least) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            int at = 100 * i;
            fixture.scope("main", at, at + 100, "ProfilerStep#" + i)
                    .sample("main", at, at + 60, "app.py:3 <module>", "app.py:9 " + most)
                    .sample("main", at + 60, at + 100, "app.py:4 <module>", "app.py:12 " + least);
        }
        return fixture.build();
    }

    /** Steps of one kernel each, launched in their first microsecond; every third is a little longer. */
    private static Timeline steps(int count, int lengthUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        double start = 0;
        for (int i = 0; i < count; i++) {
            double end = start + lengthUs + i % 3 * 0.1;
            fixture.scope("main", start, end, "ProfilerStep#" + i);
            fixture.kernel("7", start + 2, end - 10, "gemm");
            fixture.launchedBy("main", start, start + 1);
            start = end;
        }
        return fixture.build();
    }

    private static Timeline kernels(int count, int durationUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < count; i++) {
            fixture.kernel("7", i * 20, i * 20 + durationUs + i % 3 * 0.1, "gemm");
        }
        return fixture.build();
    }

    private static Timeline named(String device) {
        TimelineBuilder builder = new TimelineBuilder();
        int track = builder.track(TrackKind.DEVICE, -1, "0");
        builder.row(RowKind.KERNEL, builder.track(TrackKind.STREAM, track, "7"), 0, 1_000, builder.name("k"));
        builder.property("device.0.name", device);
        return builder.build("drawing");
    }

    private static Comparison diff(String before, String after) {
        return Diff.of(side(TimelineFixture.draw(before)), side(TimelineFixture.draw(after)));
    }

    private static Side side(Timeline timeline) {
        return Side.of(new Analyzer(), timeline, "drawing");
    }

    private static List<Change> group(Comparison comparison, String id) {
        return comparison.groups().stream()
                .filter(group -> group.id().equals(id))
                .findFirst()
                .orElseThrow()
                .changes();
    }

    private static Change change(Comparison comparison, String group, String name) {
        return group(comparison, group).stream()
                .filter(change -> change.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** A server that answers {@code requests} of {@code ms}, one after the other, with as much time in between. */
    private static Timeline server(int requests, double ms) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < requests; i++) {
            double fromUs = 2_000 * ms * i;
            double toUs = fromUs + 1_000 * ms;
            fixture.host(RowKind.REQUEST, "server", fromUs, toUs, "POST /predict")
                    .state("server", fromUs, toUs, 1_000 * ms, 0, WaitReason.UNKNOWN)
                    .state("server", toUs, toUs + 1_000 * ms, 0, 0, WaitReason.SOCKET)
                    .waiting(WaitDetail.FOR_REQUEST);
        }
        return fixture.build();
    }

    @Test
    void servicesAreComparedByRequestHoweverLongTheyAreRecorded() {
        Timeline before = server(10, 100);
        Timeline after = server(60, 50);
        Comparison comparison = Diff.of(side(before), side(after));

        assertThat(comparison.unit()).isEqualTo(WorkUnit.REQUEST);
        assertThat(comparison.outcome()).isEqualTo(Outcome.FASTER);
        assertThat(comparison.conclusion().get(0))
                .startsWith("Faster: a request (`POST /predict`) takes 50.0 ms instead of 100 ms");
        assertThat(comparison.conclusion()).contains("60 requests, p95 50.0 ms; before 10 requests, p95 100 ms.");
        Comparison reports = Diff.of(
                Side.of(side(before).report(), "before"), Side.of(side(after).report(), "after"));
        assertThat(reports.unit()).isEqualTo(WorkUnit.REQUEST);
        assertThat(reports.pace().grownRatio()).isCloseTo(-0.5, within(0.001));
    }

    /** A thread in one scope, ready without a CPU for {@code readyUs} of 1000 us. */
    private static Timeline starved(double readyUs) {
        return TimelineFixture.blank()
                .scope("42", 0, 1_000, "work")
                .state("42", 0, 1_000, 1_000 - readyUs, readyUs, WaitReason.UNKNOWN)
                .build();
    }

    @Test
    void anotherSupplyOfCpusIsSaid() {
        assertThat(Diff.of(side(starved(100)), side(starved(400))).cautions())
                .containsExactly(
                        "Different supply of CPUs: 10.0% of the time was spent ready but without one before, 40.0% after."
                                + " If other programs used them, compare again on a quiet machine.");
        assertThat(Diff.of(side(starved(100)), side(starved(150))).cautions()).isEmpty();
    }
}
