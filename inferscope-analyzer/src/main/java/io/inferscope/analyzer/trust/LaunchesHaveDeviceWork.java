package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.GraphCaptures;
import io.inferscope.timeline.RowKind;

/** Calls that launch work without any recorded device work. */
final class LaunchesHaveDeviceWork extends Check {
    LaunchesHaveDeviceWork() {
        super("launches-have-device-work", OperationsHaveLaunches.UNLAUNCHED, SharedIds.SHARED);
    }

    @Override
    TrustCheck of(RecordingFacts recorded) {
        String mixed = SharedIds.of(recorded);
        if (!mixed.isEmpty()) {
            return fail(
                    true,
                    mixed,
                    "give a folder with the file of each rank, as its recorder wrote it: `inferscope analyze FOLDER`");
        }
        long launches = 0;
        long empty = 0;
        long later = 0;
        GraphCaptures.Found captured = recorded.analysis().missingOperations().captures();
        for (int row : recorded.analysis().apiCalls()) {
            if (recorded.analysis().isLaunch(row) && !captured.contains(row)) {
                launches++;
                boolean answered = recorded.isAnswered(row);
                boolean cut = !answered && recorded.queueAtEnds().endsBefore(row);
                empty += answered || cut ? 0 : 1;
                later += cut ? 1 : 0;
            }
        }
        String detail = part(empty, launches, "launch and copy calls", "have no device operation")
                + (later == 0 ? "" : "; that of " + later + " more starts after the recording ends")
                + (captured.count() == 0 ? "" : "; " + captured.count() + " more were captured into graphs");
        if (captured.count() > launches && !recorded.analysis().has(RowKind.GRAPH_LAUNCH)) {
            return fail(
                    true,
                    part(
                                    captured.count(),
                                    launches + captured.count(),
                                    "launch and copy calls",
                                    "were captured into graphs")
                            + ", which run nothing, and no graph is replayed in this recording",
                    "record after warm-up, or give a folder that holds the recording of the replay too: `inferscope analyze FOLDER`");
        }
        return launches > 0 && empty > recorded.threshold(OperationsHaveLaunches.UNLAUNCHED) * launches
                ? fail(
                        true,
                        detail + ": device events were lost or not recorded",
                        "let no other profiler run at the same time, and "
                                + recorded.recorder().again())
                : pass(detail);
    }
}
