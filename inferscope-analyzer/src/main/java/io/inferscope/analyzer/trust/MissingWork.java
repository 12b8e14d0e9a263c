package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.ApiCalls;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.CapturedCalls;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Estimates how much of a device's idle time may be work that is missing, or that has wrong stamps.
 *
 * <p>A launch without an operation proves a missing operation. Its length is estimated from the operations that the
 * same call launches inside the same operator, within three standard deviations of their sum. Operations that are
 * missing one after the other are alike, all long or all short, so their deviations add up. A copy from pageable memory
 * takes at least as long as its call. If launches are missing too, some operations lost both: with a ratio q of the
 * operations without a launch, the estimate is divided by 1 - q. Nodes of a graph have no launch of their own, nor have
 * operations that were launched before the recording: a pause between two of them that is longer than two usual ones
 * may be a missing one; and a graph that is replayed once, with some of the nodes of one that is replayed often, may
 * lack the others. A stream runs one operation after the other, so where operations of one stream overlap, the time
 * that they share may be work at another instant. All this can only make a device busier, so its idle time lies between
 * the recorded idle time minus this estimate and the recorded idle time.
 */
final class MissingWork {
    private static final double DEVIATIONS = 3;

    /** If more than this share of launches is missing, operations have no launches for another reason. */
    private static final double MOST_UNLAUNCHED = 0.5;

    /** More missing operations than this, one launched after the other, are a stretch. */
    private static final int SHORT_RUN = 2;

    /** Fewer operations than this do not show how much their kind varies. */
    private static final int FEW = 5;

    /** A graph that is replayed as often as this is whole. */
    private static final int OFTEN = 3;

    /** A missing node joins the pauses before and after it. */
    private static final int USUAL_PAUSES = 2;

    /** Durations of the operations of one kind of launch. */
    private static final class Kind {
        private long count;
        private double sum;
        private double squares;

        void add(double ns) {
            count++;
            sum += ns;
            squares += ns * ns;
        }

        double mean() {
            return count == 0 ? 0 : sum / count;
        }

        double variance() {
            return count == 0 ? 0 : Math.max(0, squares / count - mean() * mean());
        }
    }

    /**
     * The estimated length of some operations.
     *
     * @param alike the sum of the deviations of those that are missing one after the other
     */
    private record Estimate(double mean, double variance, double alike) {
        /** Returns the estimated length of one operation that takes at least {@code leastNs}. */
        static Estimate of(Kind kind, Kind wider, double leastNs, boolean inRun) {
            double own = kind.variance() + spread(kind);
            double offWider = wider.mean() - kind.mean();
            double variance = Math.max(own, kind.count < FEW ? wider.variance() + offWider * offWider : 0);
            return new Estimate(Math.max(kind.mean(), leastNs), variance, inRun ? Math.sqrt(own) : 0);
        }

        Estimate plus(Estimate more) {
            return new Estimate(mean + more.mean, variance + more.variance, alike + more.alike);
        }

        double most() {
            return mean + DEVIATIONS * Math.sqrt(variance) + alike;
        }

        /** The mean of few operations is itself uncertain. */
        private static double spread(Kind kind) {
            return kind.count == 0 ? 0 : kind.variance() / kind.count + kind.mean() * kind.mean() / kind.count;
        }
    }

    private final Analysis analysis;
    private final Timeline timeline;
    private final QueueAtEnds queue;
    private final Map<Long, Kind> byOperator = new HashMap<>();
    private final Map<Integer, Kind> byCall = new HashMap<>();
    private final Kind any = new Kind();
    private final Map<DeviceActivity, Estimate> estimates = new HashMap<>();
    private final Map<DeviceActivity, Double> lost = new HashMap<>();

    MissingWork(RecordingFacts recorded) {
        this.analysis = recorded.analysis();
        this.timeline = analysis.timeline();
        this.queue = recorded.queueAtEnds();
        int[] deviceOfThread = new int[timeline.tracks().size()];
        Arrays.fill(deviceOfThread, -1);
        CapturedCalls captured = CapturedCalls.of(analysis);
        int[] missing = Arrays.stream(analysis.apiCalls())
                .filter(call -> analysis.isLaunch(call)
                        && !recorded.isAnswered(call)
                        && !captured.contains(call)
                        && !recorded.queueAtEnds().endsBefore(call))
                .toArray();
        for (int d = 0; d < analysis.devices().size(); d++) {
            DeviceActivity device = analysis.devices().get(d);
            if (missing.length > 0) {
                learn(recorded, device, d, deviceOfThread);
            }
        }
        Set<Integer> inRuns = inRuns(missing);
        for (int call : missing) {
            int device = Math.max(0, deviceOfThread[timeline.track(call)]);
            if (device < analysis.devices().size()) {
                estimates.merge(
                        analysis.devices().get(device),
                        Estimate.of(kind(call), any, leastNs(call), inRuns.contains(call)),
                        Estimate::plus);
            }
        }
    }

    /**
     * Returns those of the missing launches that lie in a stretch: no launch of their thread between them has an
     * operation.
     */
    private Set<Integer> inRuns(int[] missing) {
        Set<Integer> all = Arrays.stream(missing).boxed().collect(Collectors.toSet());
        Set<Integer> found = new HashSet<>();
        List<Integer> run = new ArrayList<>();
        for (int call : analysis.apiCalls()) {
            if (!analysis.isLaunch(call)) {
                continue;
            }
            boolean goesOn =
                    all.contains(call) && (run.isEmpty() || timeline.track(run.get(0)) == timeline.track(call));
            if (!goesOn) {
                run.clear();
            }
            if (all.contains(call)) {
                run.add(call);
                if (run.size() > SHORT_RUN) {
                    found.addAll(run.size() == SHORT_RUN + 1 ? run : List.of(call));
                }
            }
        }
        return found;
    }

    /** Returns whether a launch without an operation proves that work of the device is missing. */
    boolean isProven(DeviceActivity device) {
        return estimates.containsKey(device);
    }

    /** Returns whether launches can tell of missing work: most operations of the device have one. */
    boolean isKnown(DeviceActivity device) {
        long launched = IntStream.range(0, device.operationCount())
                .filter(i -> device.launch(i) >= 0)
                .count();
        return launched >= (1 - MOST_UNLAUNCHED) * device.operationCount();
    }

    private void learn(RecordingFacts recorded, DeviceActivity device, int number, int[] deviceOfThread) {
        long unlaunched = 0;
        for (int i = 0; i < device.operationCount(); i++) {
            int launch = device.launch(i);
            if (launch >= 0) {
                double ns = (double) timeline.durationNs(device.row(i));
                byOperator.computeIfAbsent(key(launch), k -> new Kind()).add(ns);
                byCall.computeIfAbsent(timeline.nameId(launch), k -> new Kind()).add(ns);
                any.add(ns);
                deviceOfThread[timeline.track(launch)] = number;
            } else if (!recorded.queueAtEnds().beginsAfter(device.row(i))) {
                unlaunched++;
            }
        }
        double ratio = (double) unlaunched / Math.max(1, device.operationCount());
        lost.put(device, ratio > MOST_UNLAUNCHED ? 0 : ratio);
    }

    /**
     * Returns the sum of the pauses that are longer than usual, inside replays of graphs and between operations that
     * were launched before the recording, in ns.
     */
    private long longPausesNs(DeviceActivity device) {
        Intervals.Builder replays = new Intervals.Builder(16);
        for (GraphReplays.Graph graph : GraphReplays.of(analysis, device).graphs()) {
            for (GraphReplays.Replay replay : graph.replays()) {
                replays.add(predecessorNs(device, replay), successorNs(device, replay));
            }
        }
        for (int i = 0; i + 1 < device.operationCount(); i++) {
            if (isFromBefore(device, i) && isFromBefore(device, i + 1)) {
                replays.add(timeline.startNs(device.row(i)), timeline.startNs(device.row(i + 1)));
            }
        }
        Intervals pauses = replays.build().minus(device.busy());
        long[] lengths = IntStream.range(0, pauses.count())
                .mapToLong(i -> pauses.endNs(i) - pauses.startNs(i))
                .toArray();
        if (lengths.length == 0) {
            return 0;
        }
        Arrays.sort(lengths);
        long usualNs = USUAL_PAUSES * lengths[lengths.length / 2];
        return Arrays.stream(lengths).filter(ns -> ns > usualNs).sum();
    }

    /**
     * Returns the time of the nodes that replays lack, in ns: a graph that is replayed once, with some of the nodes of
     * one that is replayed often, is taken for that one.
     */
    private long missingNodesNs(DeviceActivity device) {
        List<GraphReplays.Graph> graphs = GraphReplays.of(analysis, device).graphs();
        List<Map<Integer, Kind>> often = graphs.stream()
                .filter(graph -> graph.replays().size() >= OFTEN)
                .sorted((a, b) ->
                        Integer.compare(b.replays().size(), a.replays().size()))
                .map(graph -> nodes(device, graph))
                .toList();
        return graphs.stream()
                .filter(graph -> graph.replays().size() == 1)
                .map(graph -> nodes(device, graph))
                .mapToLong(own -> often.stream()
                        .filter(whole -> own.entrySet().stream()
                                .allMatch(node ->
                                        whole.getOrDefault(node.getKey(), new Kind()).count >= node.getValue().count))
                        .findFirst()
                        .map(whole -> beyondNs(whole, own))
                        .orElse(0L))
                .sum();
    }

    /** Returns the nodes of a graph's first replay by name. */
    private Map<Integer, Kind> nodes(DeviceActivity device, GraphReplays.Graph graph) {
        GraphReplays.Replay replay = graph.replays().get(0);
        Map<Integer, Kind> nodes = new HashMap<>();
        for (int i = 0; i < replay.size(); i++) {
            int row = device.row(replay.operation(i));
            nodes.computeIfAbsent(timeline.nameId(row), name -> new Kind()).add((double) timeline.durationNs(row));
        }
        return nodes;
    }

    private static long beyondNs(Map<Integer, Kind> whole, Map<Integer, Kind> part) {
        double ns = 0;
        for (Map.Entry<Integer, Kind> node : whole.entrySet()) {
            ns += (node.getValue().count - part.getOrDefault(node.getKey(), new Kind()).count)
                    * node.getValue().mean();
        }
        return (long) Math.ceil(ns);
    }

    /** Returns whether an operation was launched before the recording, and waited in the queue when it began. */
    private boolean isFromBefore(DeviceActivity device, int operation) {
        return device.launch(operation) < 0 && queue.beginsAfter(device.row(operation));
    }

    /**
     * Returns the end of the operation after which a replay was queued on its stream; without one, the replay's start.
     */
    private long predecessorNs(DeviceActivity device, GraphReplays.Replay replay) {
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
    private long successorNs(DeviceActivity device, GraphReplays.Replay replay) {
        int next = replay.operation(replay.size() - 1) + 1;
        int launch = next < device.operationCount() ? device.launch(next) : -1;
        return launch >= 0 && timeline.endNs(launch) < replay.endNs()
                ? Math.max(replay.endNs(), timeline.startNs(device.row(next)))
                : replay.endNs();
    }

    /** Returns how much longer the operations of each stream ran, one after the other, than it was busy, in ns. */
    long overlapNs(DeviceActivity device) {
        Map<Integer, Intervals.Builder> busy = new HashMap<>();
        long ranNs = 0;
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            ranNs += timeline.durationNs(row);
            busy.computeIfAbsent(timeline.track(row), stream -> new Intervals.Builder(16))
                    .add(timeline.startNs(row), timeline.endNs(row));
        }
        return ranNs
                - busy.values().stream()
                        .mapToLong(stream -> stream.build().totalNs())
                        .sum();
    }

    private long key(int launch) {
        int operator = ApiCalls.operatorOf(timeline, launch);
        return (long) timeline.nameId(launch) << 32 | (operator < 0 ? 0 : 1 + timeline.nameId(operator));
    }

    private Kind kind(int launch) {
        Kind ofCall = byCall.getOrDefault(timeline.nameId(launch), any);
        return byOperator.getOrDefault(key(launch), ofCall);
    }

    /** A copy from pageable memory blocks its call until it is done. */
    private double leastNs(int launch) {
        return timeline.name(launch).contains("Memcpy") ? (double) timeline.durationNs(launch) : 0;
    }

    /** Returns the upper bound of the time of a device's operations that are missing or elsewhere, in ns. */
    long mostNs(DeviceActivity device) {
        Estimate estimate = estimates.getOrDefault(device, new Estimate(0, 0, 0));
        double ns = estimate.most();
        return overlapNs(device)
                + longPausesNs(device)
                + missingNodesNs(device)
                + (long) Math.ceil(ns / (1 - lost.getOrDefault(device, 0.0)));
    }
}
