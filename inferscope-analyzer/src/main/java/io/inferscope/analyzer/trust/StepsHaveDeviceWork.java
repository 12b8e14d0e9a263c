package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;

/** Steps of the profiler without device work, in a recording that has some: their events may be lost. */
final class StepsHaveDeviceWork extends Check {
    StepsHaveDeviceWork() {
        super("steps-have-device-work");
    }

    @Override
    TrustCheck of(Recorded recorded) {
        Timeline timeline = recorded.timeline();
        Intervals busy = recorded.analysis().busy();
        long steps = 0;
        long blind = 0;
        long blindNs = 0;
        for (int row : recorded.analysis().rows(RowKind.ANNOTATION)) {
            if (timeline.name(row).startsWith("ProfilerStep#")) {
                steps++;
                if (busy.totalWithinNs(timeline.startNs(row), timeline.endNs(row)) == 0) {
                    blind++;
                    blindNs += timeline.durationNs(row);
                }
            }
        }
        String detail = part(blind, steps, "profiler steps", "have no device work");
        return blind > 0 && recorded.hasDevices()
                ? fail(
                        recorded.shareOfWindow(blindNs) > recorded.threshold("blind-steps.share"),
                        detail + ": their device events may be lost",
                        "record fewer steps at once, and " + recorded.recorder().again())
                : pass(detail);
    }
}
