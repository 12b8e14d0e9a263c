package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;

/** What recording took of the time that is explained: the profiler's own work, and how long a recorder held the program up. */
final class ProfilerIsSmall extends Check {
    ProfilerIsSmall() {
        super("profiler-is-small");
    }

    @Override
    TrustCheck of(Recorded recorded) {
        long workNs = recorded.within(RowKind.PROFILER_OVERHEAD).totalNs();
        long heldUpNs =
                0; // Each process has recorders of its own, which hold it up at the same time as others do theirs.
        for (RecorderOverhead overhead : recorded.timeline().info().overheads()) {
            heldUpNs = Math.max(heldUpNs, overhead.heldUpNs());
        }
        boolean heldUp = heldUpNs > workNs;
        double share = Math.min(1, recorded.shareOfWindow(Math.max(workNs, heldUpNs)));
        String detail = heldUp
                ? "recording held the program up for " + Units.percent(share) + " of the window"
                : "the profiler's own recorded work is " + Units.percent(share) + " of the window";
        return share < recorded.threshold("profiler.noted-share")
                ? pass(detail)
                : fail(share >= recorded.threshold("profiler.contaminated-share"), detail, remedy(recorded, heldUp));
    }

    private static String remedy(Recorded recorded, boolean heldUp) {
        return heldUp || recorded.analysis().isRun()
                ? "record fewer events: `inferscope run --no-probe -- COMMAND` enters no interpreter, and without `--ops` no profiler runs"
                : "record fewer events, without stacks and shapes and for fewer steps, or from outside: `inferscope run -- COMMAND`";
    }
}
