package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.merge.TimelineMerge;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Compares the stated error of the recorders' clocks with the judged gaps: a gap shorter than the error cannot be
 * attributed.
 *
 * <pre>
 *   error        |---|
 *   device   ####.####.........####     the first gap is shorter, the second one longer
 * </pre>
 */
final class ClocksAreTied extends Check {
    private static final Threshold SHORT_GAPS = Threshold.of("trust.short-gaps.share");

    /** No kernel is shorter: a device takes longer to start one. */
    private static final long LEAST_KERNEL_NS = 200;

    private static final int MANY = 100;
    private static final double MOST_SHORT = 0.9;

    /** The clock of a run's Unix time: it dates the run and places no row. */
    private static final String DATES_ONLY = "realtime";

    @Override
    TrustCheck of(RecordingFacts recorded) {
        TrustCheck units = units(recorded);
        if (units != null) {
            return units;
        }
        long errorNs = largestErrorNs(recorded);
        if (errorNs <= 0) {
            return pass("no recorder states an error of its clock");
        }
        long shortNs = recorded.analysis()
                .headline()
                .map(device -> shortGapsNs(device, errorNs))
                .orElse(0L);
        double share = recorded.analysis().ledger().share(shortNs);
        String detail = "clocks are tied to within " + Units.duration(errorNs) + "; idle gaps no longer than that take "
                + Units.percent(share) + " of the "
                + recorded.analysis().ledger().part().id();
        boolean withholds = share >= recorded.threshold(SHORT_GAPS)
                || recorded.shareOfWindow(errorNs) > recorded.threshold(KernelsFollowTheirLaunch.SKEW);
        return withholds || errorNs > recorded.threshold(TrustGate.CLOCK_ERROR)
                ? fail(
                        withholds,
                        detail + ": who is to blame for them is not known",
                        "record everything in one recording, with one clock: `inferscope run --ops -- COMMAND`")
                : pass(detail);
    }

    /** Returns what shows that stamps are too coarse, or no microseconds; null if nothing does. */
    private @Nullable TrustCheck units(RecordingFacts recorded) {
        long stepNs = recorded.timeline().number(TimelineInfo.STAMP_STEP, 0);
        long leastNs = Math.max(LEAST_KERNEL_NS, 2 * stepNs);
        int[] kernels = recorded.analysis().devices().stream()
                .flatMapToInt(DeviceActivity::rows)
                .filter(row -> recorded.timeline().kind(row) == RowKind.KERNEL)
                .toArray();
        long tooShort = Arrays.stream(kernels)
                .filter(row -> recorded.timeline().durationNs(row) < leastNs)
                .count();
        if (kernels.length < MANY || tooShort < MOST_SHORT * kernels.length) {
            return null;
        }
        return fail(
                true,
                tooShort + " of " + kernels.length + " kernels are shorter than " + Units.duration(leastNs)
                        + (stepNs > 0
                                ? ", and all stamps are multiples of " + Units.duration(stepNs)
                                        + ": lengths and gaps are not known"
                                : ": stamps are not in microseconds, as trace events have them"),
                stepNs > 0
                        ? "keep the stamps as the recorder writes them: "
                                + recorded.recorder().again()
                        : "multiply ts and dur by 1,000,000 where they are seconds, by 1,000 where they are milliseconds; or "
                                + recorded.recorder().again());
    }

    private static long largestErrorNs(RecordingFacts recorded) {
        long errorNs = 0;
        for (ClockDomain domain : recorded.timeline().info().clockDomains()) {
            errorNs = Math.max(errorNs, domain.name().equals(DATES_ONLY) ? 0 : domain.errorBoundNs());
        }
        for (TimelineMerge.Source source : TimelineMerge.sources(recorded.timeline())) {
            errorNs = Math.max(errorNs, source.errorBoundNs());
        }
        return errorNs;
    }

    private static long shortGapsNs(DeviceActivity device, long errorNs) {
        Intervals gaps = device.busy().complementWithin(device.firstNs(), device.lastNs());
        return gaps.lengthsNs().filter(ns -> ns <= errorNs).sum();
    }
}
