package io.inferscope.analyzer.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.EveryTrace;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.blame.DividedTime;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.blame.PhaseStepCursor;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gap is named by the cause that holds most of it, in sum, and the place that holds most of that cause. */
class GapCausesTest {
    private static final int DRAWN = 200;

    /** 10 + 12 + 14 us of dispatching in three operators, and 20 us of tokenizing in one. */
    @Test
    void manySlicesOfACauseOutweighOneLargeSliceOfAnother() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .launchedBy("main", -5, -2)
                .operator("main", 12, 22, "aten::add")
                .operator("main", 22, 34, "aten::mul")
                .python("main", 34, 54, "transformers/tokenization_utils_fast.py(5): _batch_encode_plus")
                .operator("main", 54, 68, "aten::mm")
                .kernel("7", 75, 80, "gemm")
                .launchedBy("main", 70, 72);
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        IdleBlame.Gap gap = analysis.blameOf(analysis.headline().orElseThrow())
                .largestGaps()
                .get(0);

        assertThat(gap.cause()).isEqualTo(LedgerClass.FRAMEWORK_DISPATCH);
        assertThat(gap.activity()).isEqualTo("aten::mm");
    }

    /** The host touches the page, so what it did before is what the device waited for. */
    @Test
    void aGapBeforeAPageOfUnifiedMemoryIsTheLaunchingThreads() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .launchedBy("main", -5, -2)
                .operator("main", 12, 90, "aten::add")
                .operation(RowKind.MEMCPY_D2H, "7", 80, 90, "Memcpy DtoH (Device -> Managed)")
                .text(Attribute.MEMORY_KINDS, "Device -> Managed");
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        IdleBlame.Gap gap = analysis.blameOf(analysis.headline().orElseThrow())
                .largestGaps()
                .get(0);

        assertThat(gap.cause()).isEqualTo(LedgerClass.FRAMEWORK_DISPATCH);
        assertThat(gap.thread()).contains("main");
    }

    /** Every drawn gap against a reference that sums its causes instant by instant; as many of each trace as there are to draw. */
    @Tag("traces")
    @Test
    void gapsDrawnAtRandomAreNamedAsTheReferenceSums(@TempDir Path folder) throws Exception {
        List<Path> traces = EveryTrace.forCostlyTests();
        List<String> wrong = new ArrayList<>();
        int checked = 0;
        for (Path trace : traces) {
            Analysis analysis = Analysis.of(EveryTrace.timeline(trace, folder), Thresholds.defaults());
            Random random = Seeds.random(trace.getFileName().toString());
            for (DeviceActivity device : analysis.devices()) {
                List<IdleBlame.Gap> gaps = new ArrayList<>(everyGap(analysis, device));
                Collections.shuffle(gaps, random);
                NaiveDevice naive = naive(analysis, device);
                for (IdleBlame.Gap gap : gaps.subList(0, Math.min(gaps.size(), 1 + 2 * DRAWN / traces.size()))) {
                    checked++;
                    Map<LedgerClass, Long> causes = naive.causes(new Stretch(gap.startNs(), gap.endNs()));
                    long namedNs = causes.getOrDefault(gap.cause(), 0L);
                    if (namedNs < Collections.max(causes.values())) {
                        wrong.add(trace.getFileName() + " at " + gap.startNs() + ": " + gap.cause() + " of " + causes);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(checked).isGreaterThanOrEqualTo(DRAWN);
    }

    private static List<IdleBlame.Gap> everyGap(Analysis analysis, DeviceActivity device) {
        Timeline timeline = analysis.timeline();
        DividedTime time = new DividedTime(analysis.classifier(), PhaseStepCursor.none(), null);
        return new IdleBlame(
                        timeline,
                        device,
                        analysis.window(),
                        analysis.threads(),
                        analysis.classifier(),
                        analysis.missingOperations(),
                        time,
                        Integer.MAX_VALUE)
                .largestGaps();
    }

    private static NaiveDevice naive(Analysis analysis, DeviceActivity device) {
        Timeline timeline = analysis.timeline();
        NaiveDevice.Opinion opinion = LedgerComparison.opinion(analysis);
        ElementaryIntervals intervals = new ElementaryIntervals(timeline, 64);
        Map<Integer, NaiveThread> threads = new HashMap<>();
        timeline.tracks().stream()
                .filter(track -> track.kind() == TrackKind.THREAD)
                .forEach(track ->
                        threads.put(track.id(), new NaiveThread(timeline, track.id(), opinion, intervals, threads)));
        return new NaiveDevice(
                timeline,
                device.track().id(),
                analysis.window(),
                opinion,
                NaiveLedger.launches(timeline),
                threads,
                intervals);
    }
}
