package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.MissingOperations;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Estimates how much of a device's idle time may be work that is missing, or that has wrong stamps.
 *
 * <p>A launch without an operation proves a missing operation ({@link MissingOperations}). If launches are missing too,
 * some operations lost both: with a ratio q of the operations without a launch, their time is divided by 1 - q. Nodes of
 * a graph have no launch of their own, nor have operations that were launched before the recording: a pause between two
 * of them that is longer than two usual ones may be a missing one; and a graph that is replayed once, with some of the
 * nodes of one that is replayed often, may lack the others. A stream runs one operation after the other, so where
 * operations of one stream overlap, the time that they share may be work at another instant. All this can only make a
 * device busier, so its idle time lies between the recorded idle time minus this estimate and the recorded idle time.
 */
final class MissingWork {
    /** If more than this share of launches is missing, operations have no launches for another reason. */
    private static final double MOST_UNLAUNCHED = 0.5;

    /** A graph that is replayed as often as this is whole. */
    private static final int OFTEN = 3;

    /** A missing node joins the pauses before and after it. */
    private static final int USUAL_PAUSES = 2;

    /** Nodes of one name. */
    private static final class Nodes {
        private long count;
        private double sumNs;

        double meanNs() {
            return count == 0 ? 0 : sumNs / count;
        }
    }

    private final RecordingFacts recorded;
    private final Timeline timeline;
    private final QueueAtEnds queue;
    private final DeviceActivity device;
    private final int[] calls;
    private final long launched;

    /** The ratio of the operations that lost their launches. */
    private final double lost;

    MissingWork(RecordingFacts recorded, DeviceActivity device) {
        this.recorded = recorded;
        this.timeline = recorded.timeline();
        this.queue = recorded.queueAtEnds();
        this.device = device;
        this.calls = recorded.analysis().missingOperations().calls(device, call -> !queue.endsBefore(call));
        this.launched = device.launched().count();
        long unlaunched = IntStream.range(0, device.operationCount())
                .filter(i -> device.launch(i) < 0 && !queue.beginsAfter(device.row(i)))
                .count();
        double ratio = (double) unlaunched / Math.max(1, device.operationCount());
        this.lost = ratio > MOST_UNLAUNCHED ? 0 : ratio;
    }

    /** Returns whether a launch without an operation proves that work is missing in a part. */
    boolean isProven(Stretch part) {
        return Arrays.stream(calls).anyMatch(call -> startsIn(part, call));
    }

    /** Returns whether launches can tell of missing work: most operations of the device have one. */
    boolean isKnown() {
        return launched >= (1 - MOST_UNLAUNCHED) * device.operationCount();
    }

    private boolean startsIn(Stretch part, int row) {
        return part.holds(timeline.startNs(row));
    }

    /** Returns the upper bound of the time of operations that are missing in a part, without {@link #overlapNs}, in ns. */
    long missingNs(Stretch part) {
        int[] inPart = Arrays.stream(calls).filter(call -> startsIn(part, call)).toArray();
        double ns =
                inPart.length == 0 ? 0 : recorded.analysis().missingOperations().mostNs(inPart);
        return longPausesNs(part) + missingNodesNs(part) + (long) Math.ceil(ns / (1 - lost));
    }

    /** Returns the time in a part that operations of one stream share, in ns. */
    long overlapNs(Stretch part) {
        return recorded.overlaps().sharedNs(device, part);
    }

    /**
     * Returns the sum of the pauses that are longer than usual, inside replays of graphs and between operations that
     * were launched before the recording, in ns.
     */
    private long longPausesNs(Stretch part) {
        Intervals.Builder replays = new Intervals.Builder(16);
        for (GraphReplays.Graph graph :
                GraphReplays.of(recorded.analysis(), device).graphs()) {
            for (GraphReplays.Replay replay : graph.replays()) {
                replays.add(predecessorNs(replay), successorNs(replay));
            }
        }
        for (int i = 0; i + 1 < device.operationCount(); i++) {
            if (isFromBefore(i) && isFromBefore(i + 1)) {
                replays.add(timeline.startNs(device.row(i)), timeline.startNs(device.row(i + 1)));
            }
        }
        Intervals pauses = replays.build().minus(device.busy());
        if (pauses.isEmpty()) {
            return 0;
        }
        long[] lengths = pauses.lengthsNs().sorted().toArray();
        long usualNs = USUAL_PAUSES * lengths[lengths.length / 2];
        return pauses.atLeast(usualNs + 1).clip(part.startNs(), part.endNs()).totalNs();
    }

    /**
     * Returns the time of the nodes that replays lack, in ns: a graph that is replayed once, with some of the nodes of
     * one that is replayed often, is taken for that one.
     */
    private long missingNodesNs(Stretch part) {
        List<GraphReplays.Graph> graphs =
                GraphReplays.of(recorded.analysis(), device).graphs();
        List<Map<Integer, Nodes>> often = graphs.stream()
                .filter(graph -> graph.replays().size() >= OFTEN)
                .sorted((a, b) ->
                        Integer.compare(b.replays().size(), a.replays().size()))
                .map(graph -> nodes(graph))
                .toList();
        return graphs.stream()
                .filter(graph -> graph.replays().size() == 1)
                .filter(graph ->
                        startsIn(part, device.row(graph.replays().get(0).operation(0))))
                .map(graph -> nodes(graph))
                .mapToLong(own -> often.stream()
                        .filter(whole -> own.entrySet().stream()
                                .allMatch(node ->
                                        whole.getOrDefault(node.getKey(), new Nodes()).count >= node.getValue().count))
                        .findFirst()
                        .map(whole -> beyondNs(whole, own))
                        .orElse(0L))
                .sum();
    }

    /** Returns the nodes of a graph's first replay by name. */
    private Map<Integer, Nodes> nodes(GraphReplays.Graph graph) {
        GraphReplays.Replay replay = graph.replays().get(0);
        Map<Integer, Nodes> nodes = new HashMap<>();
        for (int i = 0; i < replay.size(); i++) {
            int row = device.row(replay.operation(i));
            Nodes named = nodes.computeIfAbsent(timeline.nameId(row), name -> new Nodes());
            named.count++;
            named.sumNs += timeline.durationNs(row);
        }
        return nodes;
    }

    private static long beyondNs(Map<Integer, Nodes> whole, Map<Integer, Nodes> part) {
        double ns = 0;
        for (Map.Entry<Integer, Nodes> node : whole.entrySet()) {
            ns += (node.getValue().count - part.getOrDefault(node.getKey(), new Nodes()).count)
                    * node.getValue().meanNs();
        }
        return (long) Math.ceil(ns);
    }

    /** Returns whether an operation was launched before the recording, and waited in the queue when it began. */
    private boolean isFromBefore(int operation) {
        return device.launch(operation) < 0 && queue.beginsAfter(device.row(operation));
    }

    /**
     * Returns the end of the operation after which a replay was queued on its stream; without one, the replay's start.
     */
    private long predecessorNs(GraphReplays.Replay replay) {
        int first = device.row(replay.operation(0));
        int launch = device.launch(replay.operation(0));
        boolean queued = launch >= 0
                && first > timeline.firstRow(timeline.track(first))
                && timeline.endNs(launch) < timeline.endNs(first - 1);
        return queued ? Math.min(timeline.startNs(first), timeline.endNs(first - 1)) : timeline.startNs(first);
    }

    /**
     * Returns the start of the operation that was queued after a replay and waits only for the replay's last node;
     * without one, the replay's end.
     */
    private long successorNs(GraphReplays.Replay replay) {
        int next = replay.operation(replay.size() - 1) + 1;
        int launch = next < device.operationCount() ? device.launch(next) : -1;
        return launch >= 0 && timeline.endNs(launch) < replay.endNs()
                ? Math.max(replay.endNs(), timeline.startNs(device.row(next)))
                : replay.endNs();
    }
}
