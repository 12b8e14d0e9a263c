package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineCopy;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Events of real traces are deleted: the idle time that is claimed must still hold the true one. */
class MissingWorkTest {
    private static final double HELD = 0.95;
    private static final double[] PARTS = {0.01, 0.05, 0.20};

    /** Which rows are deleted. */
    private enum Deleted {
        OPERATIONS,
        LAUNCHES_AND_OPERATIONS
    }

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

    @Tag("traces")
    @Test
    void idleTimeHoldsTheTruthWhereEventsAreDeleted() throws Exception {
        List<String> missed = new ArrayList<>();
        int tried = 0;
        for (Path trace : SharedTraces.forCostlyTests(SharedTraces.chrome())) {
            Timeline timeline = SharedTraces.timeline(trace);
            Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
            if (analysis.headline().isEmpty() || analysis.apiCalls().length == 0) {
                continue;
            }
            for (Deleted deleted : Deleted.values()) {
                for (double part : PARTS) {
                    for (boolean stretch : new boolean[] {false, true}) {
                        String what =
                                trace.getFileName() + ": " + part + " of " + deleted + (stretch ? " at once" : "");
                        Random random = new Random(what.hashCode());
                        tried++;
                        String miss = miss(analysis, deleted(analysis, deleted, part, stretch, random));
                        if (!miss.isEmpty()) {
                            missed.add(what + ": " + miss);
                        }
                    }
                }
            }
        }
        assertThat(missed).hasSizeLessThanOrEqualTo((int) ((1 - HELD) * tried));
        assertThat(tried).isGreaterThan(100);
    }

    private static BitSet deleted(Analysis analysis, Deleted what, double part, boolean stretch, Random random) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        BitSet deleted = new BitSet();
        int count = device.operationCount();
        int first = (int) (random.nextDouble() * (1 - part) * count);
        for (int i = 0; i < count; i++) {
            boolean hit = stretch ? i >= first && i < first + part * count : random.nextDouble() < part;
            deleted.set(device.row(i), hit);
        }
        if (what == Deleted.LAUNCHES_AND_OPERATIONS && !stretch) {
            for (int call : analysis.apiCalls()) {
                deleted.set(call, random.nextDouble() < part);
            }
        }
        assertThat(deleted.length()).isLessThanOrEqualTo(timeline.rowCount());
        return deleted;
    }

    /** Returns by how much the interval misses the idle time of the whole trace, nothing where it holds it. */
    private static String miss(Analysis whole, BitSet deleted) {
        DeviceActivity before = whole.headline().orElseThrow();
        Timeline less = TimelineCopy.without(whole.timeline(), deleted::get);
        Analysis analysis = Analysis.of(less, Thresholds.defaults());
        DeviceActivity after = analysis.devices().stream()
                .filter(device -> device.id().equals(before.id()))
                .findFirst()
                .orElse(null);
        if (after == null) {
            return "";
        }
        if (TrustGate.check(analysis).stream().anyMatch(check -> !check.passed() && check.withholds())) {
            return ""; // Nothing is claimed.
        }
        long shownNs = before.busy().totalNs() - after.busy().totalNs();
        long mostNs = new MissingWork(new Recorded(analysis)).mostNs(after);
        return shownNs <= mostNs ? "" : shownNs + " ns of work are deleted, and " + mostNs + " are suspected";
    }
}
