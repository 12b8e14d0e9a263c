package io.inferscope.analyzer.graph;

import io.inferscope.timeline.ColumnStore;
import java.util.Arrays;

/**
 * Collects instants and arcs and builds a graph without circles: arcs sorted by target, and the deciding arc of each
 * instant.
 */
final class GraphBuilder {
    private final long startNs;
    private final long endNs;
    // Growing these copies nothing: arrays that are copied as they grow would leave twice their size in garbage.
    private final ColumnStore timesNs = new ColumnStore(0);
    private final ColumnStore tracks = new ColumnStore(0);
    private final ColumnStore rows = new ColumnStore(0);
    private int nodes;
    private final ColumnStore from = new ColumnStore(0);
    private final ColumnStore to = new ColumnStore(0);
    private final ColumnStore lagsNs = new ColumnStore(0);
    private final ColumnStore kinds = new ColumnStore(0);
    private int arcs;

    /** Begins the graph of the window {@code [startNs, endNs)} with the window's start as its first instant. */
    GraphBuilder(long startNs, long endNs) {
        this.startNs = startNs;
        this.endNs = endNs;
        node(-1, startNs, -1);
    }

    /** Adds an instant, cut to the window, and returns its number. */
    int node(int track, long timeNs, int row) {
        timesNs.set(nodes, Math.max(startNs, Math.min(endNs, timeNs)));
        tracks.set(nodes, track);
        rows.set(nodes, row);
        return nodes++;
    }

    int track(int node) {
        return (int) tracks.get(node);
    }

    int nodeCount() {
        return nodes;
    }

    long timeNs(int node) {
        return timesNs.get(node);
    }

    /** Adds an arc whose lag is the recorded distance. */
    void whole(ArcKind kind, int earlier, int later) {
        arc(kind, earlier, later, timeNs(later) - timeNs(earlier));
    }

    /**
     * Adds an arc, its lag limited to the recorded distance. An arc between tracks that leads back in time is dropped,
     * because the stamps contradict it.
     */
    void arc(ArcKind kind, int earlier, int later, long lagNs) {
        long distanceNs = timeNs(later) - timeNs(earlier);
        if (distanceNs < 0 && kind != ArcKind.STREAM) {
            return;
        }
        setArc(arcs++, earlier, later, Math.min(lagNs, distanceNs), (byte) kind.ordinal());
    }

    private void setArc(int arc, int earlier, int later, long lagNs, byte kind) {
        from.set(arc, earlier);
        to.set(arc, later);
        lagsNs.set(arc, lagNs);
        kinds.set(arc, kind);
    }

    /**
     * Builds the graph. An instant without an incoming arc, other than the first, gets an arc from the start of the
     * window.
     */
    DependencyGraph build(int sink) {
        tieLooseNodes();
        int[] order = new int[nodes];
        Sorted sorted = sort();
        for (int round = 0; order(sorted, order) < nodes; round++) {
            dropCircles(sorted, order, round > 0);
            sorted = sort();
        }
        int[] deciding = decide(sorted);
        DependencyGraph.Nodes columns = new DependencyGraph.Nodes(new long[nodes], new int[nodes], new int[nodes]);
        for (int node = 0; node < nodes; node++) {
            columns.timesNs()[node] = timeNs(node);
            columns.tracks()[node] = track(node);
            columns.rows()[node] = (int) rows.get(node);
        }
        return new DependencyGraph(columns, sorted.arcs, sorted.first, deciding, order, sink);
    }

    private void tieLooseNodes() {
        boolean[] reached = new boolean[nodes];
        reached[DependencyGraph.ROOT] = true;
        for (int arc = 0; arc < arcs; arc++) {
            reached[(int) to.get(arc)] = true;
        }
        for (int node = 0; node < nodes; node++) {
            if (!reached[node]) {
                whole(ArcKind.BEGIN, DependencyGraph.ROOT, node);
            }
        }
    }

    /** The arcs sorted by target; arcs of one target in the order in which they were added. */
    @SuppressWarnings("ArrayRecordComponent") // Columns are handed over, never compared.
    private record Sorted(DependencyGraph.Arcs arcs, int[] first) {}

    private Sorted sort() {
        int[] first = new int[nodes + 1];
        for (int arc = 0; arc < arcs; arc++) {
            first[(int) to.get(arc) + 1]++;
        }
        for (int node = 0; node < nodes; node++) {
            first[node + 1] += first[node];
        }
        int[] next = Arrays.copyOf(first, nodes);
        DependencyGraph.Arcs sorted =
                new DependencyGraph.Arcs(new int[arcs], new int[arcs], new long[arcs], new byte[arcs]);
        for (int arc = 0; arc < arcs; arc++) {
            int target = (int) to.get(arc);
            int at = next[target]++;
            sorted.from()[at] = (int) from.get(arc);
            sorted.to()[at] = target;
            sorted.lagsNs()[at] = lagsNs.get(arc);
            sorted.kinds()[at] = (byte) kinds.get(arc);
        }
        return new Sorted(sorted, first);
    }

    /**
     * Fills in a topological order; returns how many instants it holds. The others are on circles or reachable from
     * circles only.
     */
    private int order(Sorted sorted, int[] order) {
        int[] waitsFor = new int[nodes];
        int[] firstOut = new int[nodes + 1];
        for (int arc = 0; arc < arcs; arc++) {
            waitsFor[sorted.arcs.to()[arc]]++;
            firstOut[sorted.arcs.from()[arc] + 1]++;
        }
        for (int node = 0; node < nodes; node++) {
            firstOut[node + 1] += firstOut[node];
        }
        int[] next = Arrays.copyOf(firstOut, nodes);
        int[] targets = new int[arcs];
        for (int arc = 0; arc < arcs; arc++) {
            targets[next[sorted.arcs.from()[arc]]++] = sorted.arcs.to()[arc];
        }
        int placed = 0;
        order[placed++] = DependencyGraph.ROOT;
        for (int i = 0; i < placed; i++) {
            for (int out = firstOut[order[i]]; out < firstOut[order[i] + 1]; out++) {
                if (--waitsFor[targets[out]] == 0) {
                    order[placed++] = targets[out];
                }
            }
        }
        for (int i = placed; i < nodes; i++) {
            order[i] = DependencyGraph.ROOT;
        }
        return placed;
    }

    /**
     * Drops arcs between tracks whose instants are not in the order: first those between instants of the same time,
     * then all.
     */
    private void dropCircles(Sorted sorted, int[] order, boolean all) {
        boolean[] placed = new boolean[nodes];
        for (int node : order) {
            placed[node] = true;
        }
        int kept = 0;
        for (int arc = 0; arc < arcs; arc++) {
            int begin = sorted.arcs.from()[arc];
            int end = sorted.arcs.to()[arc];
            boolean own = ArcKind.values()[sorted.arcs.kinds()[arc]].isOwn();
            boolean suspect = all || timeNs(begin) >= timeNs(end);
            if (own || placed[begin] || placed[end] || !suspect) {
                setArc(
                        kept++,
                        begin,
                        end,
                        sorted.arcs.lagsNs()[arc],
                        sorted.arcs.kinds()[arc]);
            }
        }
        arcs = kept;
        tieLooseNodes();
    }

    /**
     * Chooses for each instant the arc that allows it latest; of equal ones, the first. The remaining time up to the
     * recorded instant is added to the lag of this arc.
     */
    private int[] decide(Sorted sorted) {
        int[] deciding = new int[nodes];
        deciding[DependencyGraph.ROOT] = -1;
        for (int node = 1; node < nodes; node++) {
            int best = sorted.first[node];
            for (int arc = best + 1; arc < sorted.first[node + 1]; arc++) {
                if (allowedNs(sorted, arc) > allowedNs(sorted, best)) {
                    best = arc;
                }
            }
            deciding[node] = best;
            sorted.arcs.lagsNs()[best] = timeNs(node) - timeNs(sorted.arcs.from()[best]);
        }
        return deciding;
    }

    private long allowedNs(Sorted sorted, int arc) {
        return timeNs(sorted.arcs.from()[arc]) + sorted.arcs.lagsNs()[arc];
    }
}
