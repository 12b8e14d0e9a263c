package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.GraphCaptures;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.merge.TimelineMerge;
import java.util.Arrays;

/** Calls that launch work without any recorded device work. */
final class LaunchesHaveDeviceWork extends Check {
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
        if (empty > 0 && recorded.hasDevices() && recorded.timeline().links().count() == 0) {
            return fail(
                    true,
                    "nothing in the recording joins its " + launches
                            + " launch and copy calls to the work of the device: the cause of idle time is not known",
                    "record with a tool that gives a call and its work a common id, or "
                            + recorded.recorder().again());
        }
        return launches > 0 && empty > recorded.threshold(OperationsHaveLaunches.UNLAUNCHED) * launches
                ? fail(
                        true,
                        detail + ": device events were lost or not recorded",
                        "let no other profiler run at the same time, and "
                                + recorded.recorder().again())
                : pass(detail);
    }

    /**
     * Launches that share a correlation id. A recorder numbers launches, so no two have one number. Where they do, events
     * of several recordings, such as of two ranks, are in one file, and operations are taken for work of the wrong launch.
     * A launch of the runtime and the call of the driver inside it share a number but not a name; graph launches, which may
     * share one by a defect of libcupti, are linked as replays.
     */
    private static final class SharedIds {
        static final Threshold SHARED = Threshold.of("trust.shared-ids.share");

        private SharedIds() {}

        /** Returns what shows that a file holds several recordings, empty if nothing does. */
        static String of(RecordingFacts recorded) {
            Timeline timeline = recorded.timeline();
            boolean merged = !TimelineMerge.sources(timeline).isEmpty(); // Each file has ids of its own.
            if (merged || !hasUnclearLinks(timeline.links())) {
                return "";
            }
            long[] keys = Arrays.stream(recorded.analysis().apiCalls())
                    .filter(recorded.analysis()::isLaunch)
                    .filter(row -> timeline.correlation(row) != 0)
                    .mapToLong(row -> timeline.correlation(row) << Integer.SIZE | timeline.nameId(row))
                    .sorted()
                    .toArray();
            long shared = 0;
            for (int i = 0; i < keys.length; i++) {
                boolean again = i > 0 && keys[i] == keys[i - 1];
                shared += again || (i + 1 < keys.length && keys[i] == keys[i + 1]) ? 1 : 0;
            }
            return shared <= recorded.threshold(SHARED) * keys.length
                    ? ""
                    : Check.part(shared, keys.length, "launches", "have the correlation id of another one")
                            + ": the file holds several recordings, such as of two ranks, and it is not known whose work an"
                            + " operation is";
        }

        private static boolean hasUnclearLinks(Links links) {
            return links.of(LinkKind.LAUNCH).anyMatch(link -> links.confidencePercent(link) < 100);
        }
    }
}
