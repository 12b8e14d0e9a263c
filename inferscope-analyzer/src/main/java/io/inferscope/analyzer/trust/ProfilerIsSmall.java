package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import java.util.Comparator;

/** What recording took of the time that is explained: the profiler's own work, and how long a recorder held the program up. */
final class ProfilerIsSmall extends Check {
    private static final Threshold PROFILER_NOTED_SHARE =
            new Threshold("trust.profiler.noted-share", 0.05, "profiler's own time, of the window, that is noted");
    private static final Threshold PROFILER_CONTAMINATED_SHARE = new Threshold(
            "trust.profiler.contaminated-share",
            0.15,
            "profiler's own time, of the window, that withholds the verdict");

    /** The recorder of tensor shapes, which looks at every operator from Python. */
    private static final String SHAPES = "shapes";

    /** PyTorch's profiler, which a run opens in short windows. */
    private static final String WINDOWS = "torch.profiler windows";

    /** It holds a program up when CUDA begins and when the program ends, in ranges of its own, and never in what the program does in between. */
    private static final String AT_BOTH_ENDS = "cuda-agent";

    ProfilerIsSmall() {
        super("profiler-is-small", PROFILER_NOTED_SHARE, PROFILER_CONTAMINATED_SHARE);
    }

    @Override
    TrustCheck of(Recorded recorded) {
        long workNs = recorded.within(RowKind.PROFILER_OVERHEAD).totalNs();
        long seenNs = Math.max(workNs, inLedger(recorded));
        // Each process has recorders of its own, which hold it up at the same time as others do theirs.
        RecorderOverhead most = recorded.timeline().info().overheads().stream()
                .filter(overhead -> !overhead.recorder().equals(AT_BOTH_ENDS))
                .max(Comparator.comparingLong(RecorderOverhead::heldUpNs))
                .orElse(new RecorderOverhead("", 0, 0, 0));
        long heldUpNs = most.heldUpNs();
        boolean heldUp = heldUpNs > seenNs;
        double share = Math.min(1, recorded.shareOfWindow(Math.max(seenNs, heldUpNs)));
        String detail = heldUp
                ? recording(most) + " held the program up for " + Units.percent(share) + " of the window"
                : "the profiler's own recorded work is " + Units.percent(share) + " of the window";
        return share < recorded.threshold(PROFILER_NOTED_SHARE)
                ? pass(detail)
                : fail(
                        recorded.shareOfWindow(Math.max(workNs, heldUpNs))
                                >= recorded.threshold(PROFILER_CONTAMINATED_SHARE),
                        detail,
                        remedy(recorded, heldUp, most));
    }

    /**
     * Returns the profiler's time in the ledger of the window in ns, without what the agent takes at both ends: what runs as the program's own code stands there
     * alone. It is known for what it is, and withholds nothing.
     */
    private static long inLedger(Recorded recorded) {
        Analysis analysis = recorded.analysis();
        long agentNs = recorded.timeline().info().overheads().stream()
                .filter(overhead -> overhead.recorder().equals(AT_BOTH_ENDS))
                .mapToLong(RecorderOverhead::heldUpNs)
                .sum();
        return analysis.ledger(LedgerPart.WINDOW).orElse(analysis.ledger()).ns(LedgerClass.PROFILER) - agentNs;
    }

    private static String recording(RecorderOverhead recorder) {
        return switch (recorder.recorder()) {
            case SHAPES -> "recording shapes";
            case WINDOWS -> "recording operators";
            default -> "recording";
        };
    }

    private static String remedy(Recorded recorded, boolean heldUp, RecorderOverhead most) {
        if (heldUp && most.recorder().equals(SHAPES)) {
            return "record times without shapes: `inferscope run -- COMMAND`, and the shapes of few forward passes by themselves:"
                    + " `inferscope shapes run --skip-warmup 2 --passes 2 -- COMMAND`";
        }
        if (most.recorder().equals(WINDOWS)) { // Its starts, stops and exports are recorded work of a profiler too.
            return "record times without operators: `inferscope run -- COMMAND`, or operators in a shorter window: `inferscope run --ops 1x0.1 -- COMMAND`";
        }
        return heldUp || recorded.analysis().isRun()
                ? "record fewer events: `inferscope run --no-probe -- COMMAND` enters no interpreter, and without `--ops` no profiler runs"
                : "record fewer events, without stacks and shapes and for fewer steps, or from outside: `inferscope run -- COMMAND`";
    }
}
