package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;

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
    private static final Threshold IDLE = new Threshold(
            "trust.graph-idle.share", 0.80, "idle ratio of the time between first and last nodes of replays");
    private static final Threshold PAUSE_NS =
            new Threshold("trust.graph-pause.ns", 100_000.0, "mean idle time between two nodes of a replay");

    GraphReplaysAreBusy() {
        super("graph-replays-are-busy", IDLE, PAUSE_NS);
    }

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
                        "record graph nodes: " + recorded.recorder().graphNodes())
                : pass(detail);
    }
}
