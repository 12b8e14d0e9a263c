package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.launch.TracerTime;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Intervals;

/**
 * Graph replays that are idle for most of the time between their first and last node. Nodes of a graph follow each
 * other within microseconds, because the host is not involved: longer pauses show that nodes were not recorded.
 *
 * <pre>
 *   recorded   |kk..............k.................k|      0.4 of 15 ms
 *   ran        |kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk|
 * </pre>
 */
final class GraphReplaysAreBusy extends Check {
    private static final Threshold IDLE = Threshold.of("trust.graph-idle.share");
    private static final Threshold PAUSE_NS = Threshold.of("trust.graph-pause.ns");
    private static final Threshold GAPS = Threshold.of("trust.graph-gaps.share");

    @Override
    TrustCheck of(RecordingFacts recorded) {
        long spanNs = 0;
        long busyNs = 0;
        long pauses = 0;
        long replays = 0;
        for (DeviceActivity device : recorded.analysis().devices()) {
            for (GraphReplays.Graph graph :
                    GraphReplays.of(recorded.analysis(), device).graphs()) {
                for (GraphReplays.Replay replay : graph.replays()) {
                    long startNs = recorded.timeline().startNs(device.row(replay.operation(0)));
                    spanNs += replay.endNs() - startNs;
                    busyNs += device.busy().totalWithinNs(startNs, replay.endNs());
                    pauses += replay.size() - 1;
                    replays++;
                }
            }
        }
        if (replays == 0) {
            return pass("no replays of graphs to look at");
        }
        long idleNs = spanNs - busyNs;
        String detail = "replays of graphs run " + Units.duration(busyNs) + " of the " + Units.duration(spanNs)
                + " from their first to their last nodes";
        boolean implausible = idleNs > recorded.threshold(IDLE) * spanNs
                && idleNs > recorded.threshold(PAUSE_NS) * Math.max(1, pauses);
        return implausible
                ? fail(
                        true,
                        detail + ": nodes in between are missing, and what looks idle may be compute",
                        "record graph nodes: " + recorded.recorder().inDetail())
                : gaps(recorded, detail);
    }

    /**
     * Says that idle time inside replays is mostly the tracer's. Tracers of nodes put their own work between them: on
     * AMD GPUs some 3 us, a quarter of the time of a decode, of which an untraced run has 1 %.
     */
    private TrustCheck gaps(RecordingFacts recorded, String detail) {
        Intervals gaps = TracerTime.of(recorded.analysis()).gaps();
        double share = recorded.shareOfWindow(gaps.totalNs());
        return share > recorded.threshold(GAPS)
                        && gaps.totalNs() > recorded.threshold(Thresholds.GRAPH_GAP) * gaps.count()
                ? fail(
                        false,
                        gaps.count() + " gaps between nodes of graph replays, "
                                + Units.duration(gaps.totalNs() / gaps.count())
                                + " each, add up to " + Units.duration(gaps.totalNs()) + " (" + Units.percent(share)
                                + " of the window): no work is missing there, and most of this time is the tracer's, which a run without it does not have",
                        "before you act on idle time inside replays, compare with a run without a tracer of nodes, such as `inferscope run -- COMMAND`")
                : pass(detail);
    }
}
