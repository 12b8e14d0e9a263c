package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import java.util.Arrays;

/**
 * The cost of recording within the window: the profiler's own work, and the time for which a recorder delayed the
 * program.
 */
final class ProfilerIsSmall extends Check {
    private static final Threshold PROFILER_NOTED_SHARE = Threshold.of("trust.profiler.noted-share");
    private static final Threshold PROFILER_CONTAMINATED_SHARE = Threshold.of("trust.profiler.contaminated-share");
    private static final Threshold PROFILER_DIFFERENCE = Threshold.of("trust.profiler.difference-share");

    /** The recorder of tensor shapes, which handles every operator in Python. */
    private static final String SHAPES = "shapes";

    /**
     * This recorder delays a program when CUDA starts and when the program ends, in ranges of its own, and at no other
     * time.
     */
    private static final String AT_BOTH_ENDS = "cuda-agent";

    @Override
    TrustCheck of(RecordingFacts recorded) {
        Intervals work = recorded.within(RowKind.PROFILER_OVERHEAD);
        long workNs = work.totalNs();
        long ledgerNs = inLedger(recorded);
        long seenNs = Math.max(workNs, ledgerNs);
        // Each process has its own recorders, and their delays overlap, so the largest counts.
        RecorderOverhead most = recorded.timeline().info().overheads().stream()
                .filter(overhead -> !overhead.recorder().equals(AT_BOTH_ENDS))
                .max(Order.comparingLong(RecorderOverhead::heldUpNs))
                .orElse(new RecorderOverhead("", 0, 0, 0));
        long wholeNs = recorded.timeline().number(TimelineInfo.PART_OF_NS, 0);
        long windowNs = recorded.analysis().window().durationNs();
        // When it delayed the program is not known; in a part of the recording it is taken to be as often as elsewhere.
        long heldUpNs =
                wholeNs > windowNs ? Math.round((double) most.heldUpNs() * windowNs / wholeNs) : most.heldUpNs();
        long sampledNs = Math.max(0, ledgerNs - rangesNs(recorded) - workNs);
        boolean disagrees =
                heldUpNs > 0 && recorded.shareOfWindow(sampledNs - heldUpNs) >= recorded.threshold(PROFILER_DIFFERENCE);
        if (disagrees) {
            return fail(
                    false,
                    "samples show " + Units.percent(recorded.shareOfWindow(sampledNs))
                            + " of the window as the recorder's work, its own clock only "
                            + Units.percent(recorded.shareOfWindow(heldUpNs)),
                    "compare with a recording from outside: `inferscope run --no-probe -- COMMAND`");
        }
        Stretch judged = recorded.analysis().judged().stretch();
        double shareOfJudged =
                (double) work.clip(judged.startNs(), judged.endNs()).totalNs() / Math.max(1, judged.durationNs());
        double limit = recorded.threshold(PROFILER_CONTAMINATED_SHARE);
        boolean spoils = Math.max(shareOfJudged, recorded.shareOfWindow(heldUpNs)) >= limit;
        boolean heldUp = heldUpNs > seenNs;
        double share = Math.min(1, recorded.shareOfWindow(Math.max(seenNs, heldUpNs)));
        String detail = heldUp
                ? recording(most) + " held the program up for " + Units.percent(share) + " of the window"
                : "the profiler's own recorded work is " + Units.percent(share) + " of the window";
        boolean judgedDecides = (shareOfJudged >= limit) != (share >= limit);
        return share < recorded.threshold(PROFILER_NOTED_SHARE)
                ? pass(detail)
                : fail(
                        spoils,
                        judgedDecides
                                ? detail + (heldUp ? "; its own recorded work is " : ", ")
                                        + Units.percent(shareOfJudged) + " of the judged part"
                                : detail,
                        remedy(recorded, heldUp, most));
    }

    /**
     * Returns the profiler's time in the ledger of the window in ns, without the agent's time at both ends. That time
     * is labelled as the agent's and does not withhold the verdict.
     */
    private static long inLedger(RecordingFacts recorded) {
        Analysis analysis = recorded.analysis();
        long agentNs = recorded.timeline().info().overheads().stream()
                .filter(overhead -> overhead.recorder().equals(AT_BOTH_ENDS))
                .mapToLong(RecorderOverhead::heldUpNs)
                .sum();
        return analysis.ledger(LedgerPart.WINDOW).orElse(analysis.ledger()).ns(LedgerClass.PROFILER) - agentNs;
    }

    /** Returns the time of the recorder's measured ranges, such as its start, in ns. */
    private static long rangesNs(RecordingFacts recorded) {
        Timeline timeline = recorded.timeline();
        return timeline.times(Arrays.stream(recorded.analysis().rows(RowKind.ANNOTATION))
                        .filter(row -> RangeActivity.of(timeline.attribute(row, Attribute.ACTIVITY))
                                == RangeActivity.PROFILER))
                .totalNs();
    }

    private static String recording(RecorderOverhead recorder) {
        return recorder.recorder().equals(SHAPES)
                ? "recording shapes"
                : isWindows(recorder) ? "recording operators" : "recording";
    }

    private static boolean isWindows(RecorderOverhead recorder) {
        return NameRole.OPERATOR_WINDOWS.in(recorder.recorder());
    }

    private static String remedy(RecordingFacts recorded, boolean heldUp, RecorderOverhead most) {
        if (heldUp && most.recorder().equals(SHAPES)) {
            return "record times without shapes: `inferscope run -- COMMAND`, and the shapes of few forward passes by themselves:"
                    + " `inferscope shapes run --skip-warmup 2 --passes 2 -- COMMAND`";
        }
        // The profiler's starts, stops and exports are also recorded as profiler work.
        if (isWindows(most)) {
            return "record times without operators: `inferscope run -- COMMAND`, or operators in a shorter window: `inferscope run --ops 1x0.1 -- COMMAND`";
        }
        return heldUp || recorded.analysis().isRun()
                ? "record fewer events: `inferscope run --no-probe -- COMMAND` enters no interpreter, and without `--ops` no profiler runs"
                : "record fewer events, without stacks and shapes and for fewer steps, or from outside: `inferscope run -- COMMAND`";
    }
}
