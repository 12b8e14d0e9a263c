package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * Idle time that a tracer of graph nodes makes: between the nodes of a replay, where it puts work of its own, and inside
 * the launch of a graph, which it prepares node by node. A run without it does not have this time.
 *
 * <pre>
 *   host    [graph launch: 1 to 2 us a node ]
 *   device                                  [node]3us[node]3us[node]
 * </pre>
 */
public final class TracerTime {
    /** CUPTI adds 1 to 2 us, by public reports. */
    public static final Threshold PER_NODE = Threshold.of("launch-bound.tracer-node-ns");

    /** Nodes of a graph follow each other in 1 to 5 us; under a tracer, in up to 10 us. */
    public static final Threshold LONGEST_GAP = Threshold.of("trust.graph-gap.longest-ns");

    private final Analysis analysis;
    private final Timeline timeline;
    private final Intervals gaps;

    private TracerTime(Analysis analysis) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        Intervals.Builder all = new Intervals.Builder(16);
        for (DeviceActivity device : analysis.devices()) {
            all.addAll(gaps(device));
        }
        this.gaps = all.build();
    }

    /** Returns it. It is computed once. */
    public static TracerTime of(Analysis analysis) {
        return analysis.once(TracerTime.class, TracerTime::new);
    }

    private Intervals gaps(DeviceActivity device) {
        Intervals.Builder replays = new Intervals.Builder(16);
        for (GraphReplays.Graph graph : GraphReplays.of(analysis, device).graphs()) {
            for (GraphReplays.Replay replay : graph.replays()) {
                replays.add(timeline.startNs(device.row(replay.operation(0))), replay.endNs());
            }
        }
        Intervals idle = replays.build().minus(device.busy());
        Intervals.Builder gaps = new Intervals.Builder(16);
        idle.forEach((fromNs, toNs) -> {
            if (toNs - fromNs <= analysis.threshold(LONGEST_GAP)) {
                gaps.add(fromNs, toNs);
            }
        });
        return gaps.build();
    }

    /** Returns the gaps between recorded nodes of one replay, on any device: there, no work is missing. */
    public Intervals gaps() {
        return gaps;
    }

    /** Returns when the judged device was idle between nodes that a tracer keeps apart, in ns. */
    private long betweenNodesNs() {
        DeviceActivity device = analysis.headline().orElseThrow();
        Stretch part = analysis.judged().stretch();
        Intervals judged = gaps(device).clip(part.startNs(), part.endNs());
        return judged.totalNs() > analysis.threshold(Thresholds.GRAPH_GAP) * judged.count() ? judged.totalNs() : 0;
    }

    /** Returns how much of the judged device's idle time a tracer may have added to graph launches, in ns. */
    private long inLaunchesNs() {
        Intervals calls = timeline.times(Arrays.stream(analysis.rows(RowKind.GRAPH_LAUNCH)));
        long idleNs = calls.intersect(analysis.idle()).totalNs();
        double mostNs = (double) LaunchCosts.of(analysis).replayed() * analysis.threshold(PER_NODE);
        return (long) Math.min((double) idleNs, mostNs);
    }

    /** A ledger without the tracer's time, and what that time is, in words; empty for none. */
    public record Without(Ledger ledger, String words) {}

    /** Returns what a ledger of the judged part would be without the tracer's time. There must be a headline device. */
    public Without without(Ledger ledger) {
        if (!analysis.has(RowKind.GRAPH_LAUNCH)) {
            return new Without(ledger, "");
        }
        long betweenNs = Math.min(betweenNodesNs(), ledger.ns(LedgerClass.GPU_DEPENDENCY));
        long launchNs = Math.min(inLaunchesNs(), ledger.ns(LedgerClass.FRAMEWORK_LAUNCH));
        Ledger.Builder with = new Ledger.Builder();
        for (Ledger.Entry entry : ledger.entries()) {
            long tracersNs = switch (entry.ledgerClass()) {
                case GPU_DEPENDENCY -> betweenNs;
                case FRAMEWORK_LAUNCH -> launchNs;
                default -> 0;
            };
            with.add(entry.ledgerClass(), entry.ns() - tracersNs);
        }
        return new Without(
                with.build(ledger.subject(), ledger.part(), ledger.durationNs() - betweenNs - launchNs),
                words(betweenNs, launchNs));
    }

    private static String words(long betweenNs, long launchNs) {
        String between = betweenNs == 0 ? "" : Units.duration(betweenNs) + " between nodes of graphs";
        String launching = launchNs == 0 ? "" : "up to " + Units.duration(launchNs) + " inside graph launches";
        return between + (between.isEmpty() || launching.isEmpty() ? "" : " and ") + launching;
    }
}
