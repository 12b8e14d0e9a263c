package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;

/** Calls that launch work, of which none is recorded. */
final class LaunchesHaveDeviceWork extends Check {
    LaunchesHaveDeviceWork() {
        super("launches-have-device-work", OperationsHaveLaunches.UNLAUNCHED);
    }

    @Override
    TrustCheck of(Recorded recorded) {
        long launches = 0;
        long empty = 0;
        long later = 0;
        for (int row : recorded.analysis().apiCalls()) {
            if (recorded.analysis().isLaunch(row)) {
                launches++;
                boolean answered = recorded.isAnswered(row);
                boolean cut = !answered && recorded.queueAtEnds().endsBefore(row);
                empty += answered || cut ? 0 : 1;
                later += cut ? 1 : 0;
            }
        }
        String detail = part(empty, launches, "launch and copy calls", "have no device operation")
                + (later == 0 ? "" : "; that of " + later + " more starts after the recording ends");
        return launches > 0 && empty > recorded.threshold(OperationsHaveLaunches.UNLAUNCHED) * launches
                ? fail(
                        true,
                        detail + ": device events were lost or not recorded",
                        "let no other profiler run at the same time, and "
                                + recorded.recorder().again())
                : pass(detail);
    }
}
