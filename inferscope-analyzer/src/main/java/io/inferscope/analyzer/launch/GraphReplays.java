package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The graphs that one device replayed, and the operator from which each replayed operation was captured.
 *
 * <pre>
 *   thread      [launch]        [launch]
 *   device          [k1 k2  k3]     [k1 k2  k3]
 *                         --   inside       -- inside
 *                             ----  between replays
 * </pre>
 *
 * Recordings do not name graphs: launches that replay equally many operations of each name are taken as launches of one
 * graph. The order of operations on different streams may change between replays, so a replay is compared as a
 * multiset.
 */
public final class GraphReplays {
    /** One launch of a graph. */
    public static final class Replay {
        private final int launch;
        private final int[] operations;
        private final long endNs;

        Replay(int launch, int[] operations, long endNs) {
            this.launch = launch;
            this.operations = operations;
            this.endNs = endNs;
        }

        /** Returns the row of the launching call. */
        public int launch() {
            return launch;
        }

        /** Returns the number of operations in the replay. */
        public int size() {
            return operations.length;
        }

        /** Returns the index of operation {@code position} among those of the device; they are in start order. */
        public int operation(int position) {
            return operations[position];
        }

        /** Returns when its last operation ends, in ns. */
        public long endNs() {
            return endNs;
        }
    }

    /** One graph: its replays, in start order, and the launch calls that its operations were captured from. */
    public static final class Graph {
        private final List<Replay> replays = new ArrayList<>();
        private GraphOrigin origin = GraphOrigin.NONE;

        public List<Replay> replays() {
            return replays;
        }

        public GraphOrigin origin() {
            return origin;
        }
    }

    private final Timeline timeline;
    private final DeviceActivity device;
    private final List<Graph> graphs;
    /** By operation of the device: the call from which it was captured, or its own launch, or -1. */
    private final int[] origins;

    private final BitSet guessed = new BitSet();

    /** The results so far, by device. */
    private record Known(Map<DeviceActivity, GraphReplays> byDevice) {}

    public static GraphReplays of(Analysis analysis, DeviceActivity device) {
        return analysis.once(Known.class, a -> new Known(new HashMap<>()))
                .byDevice
                .computeIfAbsent(device, d -> new GraphReplays(analysis, d));
    }

    private GraphReplays(Analysis analysis, DeviceActivity device) {
        this.timeline = analysis.timeline();
        this.device = device;
        Map<Long, Graph> bySignature = new LinkedHashMap<>();
        for (Replay replay : replays()) {
            bySignature
                    .computeIfAbsent(signature(replay), s -> new Graph())
                    .replays
                    .add(replay);
        }
        graphs = List.copyOf(bySignature.values());
        origins = new int[graphs.isEmpty() ? 0 : device.operationCount()];
        Arrays.fill(origins, -1);
        GraphOrigins search = graphs.isEmpty() ? null : new GraphOrigins(analysis, device);
        for (Graph graph : graphs) {
            if (search != null) {
                graph.origin = search.of(graph.replays.get(0));
                remember(graph);
            }
        }
    }

    private void remember(Graph graph) {
        for (Replay replay : graph.replays) {
            for (int i = 0; i < replay.operations.length; i++) {
                origins[replay.operations[i]] = graph.origin.launch(i);
                guessed.set(replay.operations[i], !graph.origin.callsAreKnown());
            }
        }
    }

    private List<Replay> replays() {
        Map<Integer, IntStream.Builder> members = new LinkedHashMap<>();
        device.launched()
                .filter(device::isGraphReplay)
                .forEach(i -> members.computeIfAbsent(device.launch(i), launch -> IntStream.builder())
                        .add(i));
        List<Replay> replays = new ArrayList<>();
        members.forEach((launch, member) -> {
            int[] operations = member.build().toArray();
            replays.add(new Replay(launch, operations, endNs(operations)));
        });
        return replays;
    }

    private long endNs(int[] operations) {
        return Arrays.stream(operations)
                .mapToLong(operation -> timeline.endNs(device.row(operation)))
                .max()
                .orElse(Long.MIN_VALUE);
    }

    /** Returns a number that does not depend on the order of the operations; the finalizer is that of MurmurHash3. */
    private long signature(Replay replay) {
        long sum = replay.operations.length;
        for (int operation : replay.operations) {
            long hash = timeline.name(device.row(operation)).hashCode() * 0x9E3779B97F4A7C15L;
            hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
            sum += hash ^ hash >>> 33;
        }
        return sum;
    }

    /** Returns the graphs, in the order of their first replay. */
    public List<Graph> graphs() {
        return graphs;
    }

    /**
     * Returns the call inside an operation's operator: the call that launched the operation, or from which it was
     * captured; the graph launch if the captured call is not known; -1 if no launch is recorded.
     */
    public int originOf(int operation) {
        return origins.length > 0 && origins[operation] >= 0 ? origins[operation] : device.launch(operation);
    }

    /** Returns the same if the exact call is known; -1 if only the operator's name is. */
    public int callOf(int operation) {
        if (!device.isGraphReplay(operation)) {
            return device.launch(operation);
        }
        return guessed.get(operation) ? -1 : origins[operation];
    }
}
