package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.EveryTrace;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TimelineCopy;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of real traces are deleted or moved: the idle time that is claimed must still hold the true one. */
class MissingWorkTest {
    private static final double HELD = 0.95;
    private static final double[] PARTS = Seeds.areAll() ? new double[] {0.01, 0.05, 0.20} : new double[] {0.05};

    private static final int DRAWS = Seeds.areAll() ? 2 : 1;

    /** Which rows are deleted. Operations of a stretch with all of their launches leave no trace, so nothing can tell of them. */
    private enum Deleted {
        OPERATIONS,
        STRETCH_OF_OPERATIONS,
        LAUNCHES_AND_OPERATIONS
    }

    /** Which operations get wrong stamps: a stretch, all by one time; or some, each by a time of its own. */
    private enum Moved {
        STRETCH,
        EACH
    }

    /** By how much at most. Interpolated stamps of CUPTI are wrong by up to some 10 us. */
    private static final long[] MOVED_NS =
            Seeds.areAll() ? new long[] {1_000, 10_000, 100_000, 1_000_000} : new long[] {10_000, 1_000_000};

    private static final long[] OFFSETS_NS =
            Seeds.areAll() ? new long[] {-50_000, 50_000, -10_000_000, 10_000_000} : new long[] {50_000, -10_000_000};

    /** Half of the launches of 10 us each have no kernel. */
    @Test
    void theCheckSaysHowLongTheDeviceMayHaveBeenBusy() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            if (i % 2 == 0) {
                fixture.kernel("7", 20 * i + 4, 20 * i + 14, "gemm").launchedBy("main", 20 * i, 20 * i + 2);
            } else {
                fixture.call("main", 20 * i, 20 * i + 2, "cudaLaunchKernel");
            }
        }
        fixture.kernel("7", 404, 414, "gemm").launchedBy("main", 400, 402);

        assertWithholds(
                check("device-work-is-complete", fixture),
                "work of up to 129 us is missing on device 0: it is idle for 171 us to 300 us of its span");
    }

    /** Of 60 long and 50 short kernels, 10 long ones are missing together: each is a deviation longer than the mean. */
    @Test
    void operationsThatAreMissingOneAfterTheOtherAreAlike() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 110; i++) {
            boolean isMissing = 20 <= i && i < 30;
            double lengthUs = i < 60 ? 80 : 20;
            if (isMissing) {
                fixture.call("main", 100 * i, 100 * i + 2, "cudaLaunchKernel");
            } else {
                fixture.kernel("7", 100 * i + 4, 100 * i + 4 + lengthUs, "gemm")
                        .launchedBy("main", 100 * i, 100 * i + 2);
            }
        }

        assertThat(mostNs(fixture))
                .as("10 x 50 us; 3 x 96 us of chance, 10 x 30 us because they are alike; they took 800 us")
                .isBetween(us(1080), us(1100));
    }

    @Test
    void operationsOfOneStreamDoNotShareTime() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            fixture.kernel("7", 20 * i + 4, 20 * i + 15, "gemm").launchedBy("main", 20 * i, 20 * i + 2);
        }

        fixture.kernel("7", 64, 70, "gemm").launchedBy("main", 58, 59);

        assertThat(check("device-work-is-complete", fixture).detail())
                .startsWith("work of up to 6.00 us is missing on device 0 or has wrong timestamps: it is idle for ");
    }

    /** Programmatic dependent launch starts a kernel before the one before it has ended: no work is missing. */
    @Test
    void overlapAloneIsLeftToTheCheckOfStreams() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 10; step++) {
            for (int i = 0; i < 50; i++) {
                double startUs = 10_000 * step + 1_000 + 85 * i;
                fixture.kernel("7", startUs, startUs + 100, "gemm")
                        .launchedBy("main", 10_000 * step + 10 * i, 10_000 * step + 10 * i + 4);
            }
        }

        TrustCheck found = check("device-work-is-complete", fixture);
        assertThat(found.passed()).isTrue();
        assertThat(found.detail()).contains("or has wrong timestamps");
    }

    private static long mostNs(TimelineFixture fixture) {
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());
        return mostNs(
                new MissingWork(RecordingFacts.of(analysis), analysis.devices().get(0)));
    }

    private static long mostNs(MissingWork work) {
        Stretch all = new Stretch(Long.MIN_VALUE, Long.MAX_VALUE);
        return work.missingNs(all) + work.overlapNs(all);
    }

    /** Three memory sets of 2 us say little about a fourth; kernels take 100 us. */
    @Test
    void fewOperationsOfAKindAreAsUncertainAsAnyOther() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 23; i++) {
            boolean set = i % 8 == 0;
            fixture.kernel("7", 200 * i + 4, 200 * i + (set ? 6 : 104), set ? "fill" : "gemm")
                    .launchedBy("main", 200 * i, 200 * i + 2, set ? "cuLaunchKernelEx" : "cudaLaunchKernel");
        }
        fixture.call("main", 100, 102, "cuLaunchKernelEx");

        assertThat(mostNs(fixture)).isBetween(us(100), us(400));
    }

    /** The first operations were launched before the recording; two of them are missing. */
    @Test
    void aPauseBetweenOperationsFromBeforeMayBeAMissingOne() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 80; i++) {
            if (i != 10 && i != 11) {
                fixture.kernel("7", 101 * i, 101 * i + 100, "gemm");
            }
            if (i >= 30) {
                fixture.launchedBy("main", 4 * (i - 30), 4 * (i - 30) + 3);
            }
        }

        assertThat(mostNs(fixture)).isEqualTo(us(203));
    }

    /** Operations whose launches a recorder lost somewhere: the pauses between them are not all missing work. */
    @Test
    void aPauseBetweenOperationsWithoutALaunchIsIdle() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 60; i++) {
            int at = (i < 30 ? 20 : 300) * i;
            fixture.kernel("7", at + 4, at + 14, "gemm");
            if (i % 10 > 3) {
                fixture.launchedBy("main", at, at + 2);
            }
        }

        assertThat(mostNs(fixture)).isZero();
    }

    /** A graph is launched while a kernel runs: its first nodes, 20 us, are missing. */
    @Test
    void theFirstNodeOfAQueuedGraphMayBeMissing() {
        TimelineFixture fixture =
                TimelineFixture.blank().kernel("7", 10, 50, "gemm").launchedBy("main", 1, 2);
        fixture.graphLaunch("main", 20, 21);
        for (int i = 0; i < 10; i++) {
            fixture.kernel("7", 72 + 11 * i, 82 + 11 * i, "gemm").replayed();
        }

        assertThat(mostNs(fixture)).isEqualTo(us(22));
    }

    /** Of ten nodes, the last six of the fourth replay are missing, and nothing waits for them. */
    @Test
    void aReplayWithFewerNodesThanOthersMayLackThem() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int replay = 0; replay < 5; replay++) {
            int at = 300 * replay;
            fixture.graphLaunch("main", at, at + 1);
            for (int i = 0; i < (replay == 3 ? 4 : 10); i++) {
                fixture.kernel("7", at + 10 + 11 * i, at + 20 + 11 * i, i == 9 ? "norm" : "gemm")
                        .replayed();
            }
        }

        assertThat(mostNs(fixture)).isEqualTo(us(60));
    }

    @Test
    void withoutLaunchesNothingTellsOfMissingWork() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.kernel("7", 20 * i, 20 * i + 10, "gemm");
        }
        fixture.kernel("7", 404, 414, "gemm").launchedBy("main", 400, 402);

        assertThat(check("device-work-is-complete", fixture).detail())
                .isEqualTo(
                        "most operations of device 0 have no launch in the recording, so it is unknown whether work is missing");
    }

    @Test
    void whatIsCapturedIntoAGraphIsNotMissing() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.kernel("7", 10, 20, "gemm").launchedBy("main", 1, 2);
        fixture.call("main", 3, 4, "cudaStreamBeginCapture");
        for (int i = 0; i < 5; i++) {
            fixture.call("main", 4 + i, 5 + i, "cudaLaunchKernel");
        }
        fixture.call("main", 10, 11, "cudaStreamEndCapture");
        fixture.graphLaunch("main", 20, 21).kernel("7", 100, 110, "gemm").replayed();

        assertThat(check("device-work-is-complete", fixture).passed()).isTrue();
    }

    /** The call blocks for as long as a copy from pageable memory takes, which is much longer than the others. */
    @Test
    void aCopyThatIsMissingMayHaveTakenAsLongAsItsCall() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            fixture.h2d("7", 1000 * i + 1, 1000 * i + 3, "Memcpy HtoD (Pageable -> Device)")
                    .launchedBy("main", 1000 * i, 1000 * i + 4, "cudaMemcpyAsync");
        }
        fixture.call("main", 20_000, 24_000, "cudaMemcpyAsync");
        fixture.kernel("7", 25_000, 25_010, "gemm").launchedBy("main", 24_990, 24_991);

        assertThat(mostNs(fixture)).isBetween(us(4000), us(4010));
    }

    @Tag("traces")
    @Test
    void idleTimeHoldsTheTruthWhereEventsAreDeleted(@TempDir Path folder) throws Exception {
        assertHeld(folder, (name, timeline, analysis, take) -> {
            for (Deleted deleted : Deleted.values()) {
                for (double part : PARTS) {
                    for (int draw = 0; draw < DRAWS; draw++) {
                        String what = name + ": " + part + " of " + deleted + ", draw " + draw;
                        BitSet rows = deleted(analysis, deleted, part, Seeds.random(what));
                        if (!rows.isEmpty()) {
                            take.accept(what, TimelineCopy.without(timeline, rows::get));
                        }
                    }
                }
            }
        });
    }

    @Tag("traces")
    @Test
    void idleTimeHoldsTheTruthWhereStampsAreWrong(@TempDir Path folder) throws Exception {
        assertHeld(folder, (name, timeline, analysis, take) -> {
            for (Moved moved : Moved.values()) {
                for (double part : PARTS) {
                    for (long mostNs : MOVED_NS) {
                        String what = name + ": " + part + " of " + moved + ", " + mostNs + " ns";
                        Map<Integer, Long> rows = moved(analysis, moved, part, mostNs, Seeds.random(what));
                        if (!rows.isEmpty()) {
                            take.accept(what, TimelineCopy.moved(timeline, row -> rows.getOrDefault(row, 0L)));
                        }
                    }
                }
            }
        });
    }

    /** Makes damaged copies of a trace, each with a name. */
    private interface Damage {
        void each(Path name, Timeline timeline, Analysis analysis, BiConsumer<String, Timeline> take);
    }

    private static void assertHeld(Path folder, Damage damage) throws Exception {
        List<String> missed = new ArrayList<>();
        int[] withheldAndClaimed = new int[2];
        for (Path trace : EveryTrace.forCostlyTests()) {
            Timeline timeline = EveryTrace.timeline(trace, folder);
            Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
            if (analysis.headline().isEmpty() || analysis.apiCalls().length == 0) {
                continue;
            }
            damage.each(trace.getFileName(), timeline, analysis, (what, damaged) -> {
                Optional<Claim> claim = claim(analysis, damaged);
                withheldAndClaimed[claim.isPresent() ? 1 : 0]++;
                claim.filter(c -> !c.holdsTruth()).ifPresent(c -> missed.add(what + ": " + c));
            });
        }
        int claimed = withheldAndClaimed[1];
        assertThat(missed).as("of %s claims", claimed).hasSizeLessThanOrEqualTo((int) ((1 - HELD) * claimed));
        assertThat(claimed).isGreaterThan(Seeds.areAll() ? 100 : 20);
        assertThat(withheldAndClaimed[0]).isPositive();
    }

    /** A host clock that is ahead or behind changes nothing of when the device is busy; a verdict needs launches before their work. */
    @Tag("traces")
    @Test
    void anOffsetBetweenTheClocksOfHostAndDeviceIsNoIdleTime(@TempDir Path folder) throws Exception {
        int contradicted = 0;
        for (Path trace : EveryTrace.forCostlyTests()) {
            Timeline timeline = EveryTrace.timeline(trace, folder);
            Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
            if (analysis.headline().isEmpty() || analysis.apiCalls().length == 0) {
                continue;
            }
            DeviceActivity device = analysis.headline().orElseThrow();
            BitSet operations = new BitSet();
            IntStream.range(0, device.operationCount()).forEach(i -> operations.set(device.row(i)));
            for (long offsetNs : OFFSETS_NS) {
                Timeline offset = TimelineCopy.moved(timeline, row -> operations.get(row) ? offsetNs : 0);
                Optional<Claim> claim = claim(analysis, offset);
                assertThat(claim.filter(c -> !c.holdsTruth()))
                        .as("%s, %d ns", trace, offsetNs)
                        .isEmpty();
                long early = IntStream.range(0, device.operationCount())
                        .filter(i -> device.launch(i) >= 0 && device.launchLatencyNs(i) + offsetNs < 0)
                        .count();
                if (early > 0.1 * device.operationCount()) {
                    contradicted++;
                    assertThat(claim).as("%s, %d ns", trace, offsetNs).isEmpty();
                }
            }
        }
        assertThat(contradicted).isPositive();
    }

    /** Returns by how much each operation's stamps are wrong, in ns. */
    private static Map<Integer, Long> moved(Analysis analysis, Moved what, double part, long mostNs, Random random) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Map<Integer, Long> moved = new HashMap<>();
        int count = device.operationCount();
        int first = (int) (random.nextDouble() * (1 - part) * count);
        long allNs = random.nextBoolean() ? mostNs : -mostNs;
        for (int i = 0; i < count; i++) {
            if (what == Moved.STRETCH ? i >= first && i < first + part * count : random.nextDouble() < part) {
                moved.put(
                        device.row(i),
                        what == Moved.STRETCH ? allNs : Math.round(mostNs * (2 * random.nextDouble() - 1)));
            }
        }
        return moved;
    }

    private static BitSet deleted(Analysis analysis, Deleted what, double part, Random random) {
        DeviceActivity device = analysis.headline().orElseThrow();
        BitSet deleted = new BitSet();
        int count = device.operationCount();
        int first = (int) (random.nextDouble() * (1 - part) * count);
        for (int i = 0; i < count; i++) {
            boolean hit = what == Deleted.STRETCH_OF_OPERATIONS
                    ? i >= first && i < first + part * count
                    : random.nextDouble() < part;
            deleted.set(device.row(i), hit);
        }
        if (what == Deleted.LAUNCHES_AND_OPERATIONS) {
            for (int call : analysis.apiCalls()) {
                deleted.set(call, random.nextDouble() < part);
            }
        }
        return deleted;
    }

    /**
     * What a recording says of its idle time.
     *
     * @param deletedNs by how much the device was busier before events were deleted or moved
     * @param mostNs by how much the report says that it may have been busier
     */
    private record Claim(long deletedNs, long mostNs) {
        boolean holdsTruth() {
            return 0 <= deletedNs && deletedNs <= mostNs;
        }
    }

    /** Returns what a damaged copy claims, nothing where its verdict is withheld or no device is left. */
    private static Optional<Claim> claim(Analysis whole, Timeline damaged) {
        DeviceActivity before = whole.headline().orElseThrow();
        Analysis analysis = Analysis.of(damaged, Thresholds.defaults());
        if (TrustGate.check(analysis).stream().anyMatch(check -> !check.passed() && check.withholds())) {
            return Optional.empty();
        }
        return analysis.devices().stream()
                .filter(device -> device.id().equals(before.id()))
                .filter(device -> new MissingWork(RecordingFacts.of(analysis), device).isKnown())
                .findFirst()
                .map(after -> new Claim(
                        before.busy().totalNs() - after.busy().totalNs(),
                        mostNs(new MissingWork(RecordingFacts.of(analysis), after))));
    }
}
