package io.inferscope.analyzer.graph;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Instants of threads and streams, and arcs: the least distance in time from one instant to another.
 *
 * <pre>
 *   thread   o--- 30 ---o--- 20 ---.............o--- 10 ---o      an arc of a thread: the time of its work
 *                        \ 5                   /                  an arc between tracks: launch, hand-over, end of a wait
 *   stream                o------- 40 --------o                   an arc of an operation: its length
 * </pre>
 *
 * <p>The time of an instant is the latest that its incoming arcs allow: {@code max(time(from) + lag)}. One of the arcs
 * into an instant decides it. Its lag is the recorded distance, so a replay without changes reproduces every recorded
 * time to the nanosecond. The other arcs have the least lag that the recording shows, at most the recorded distance.
 * The critical path leads from the last instant back along the deciding arcs.
 *
 * <p>Made by {@link GraphBuilder}. Arrays by node and by arc; every pass is linear in nodes and arcs.
 */
public final class DependencyGraph {
    /** The instant before everything: the start of the window. */
    public static final int ROOT = 0;

    private static final ArcKind[] KINDS = ArcKind.values();
    private static final long UNREACHED = Long.MIN_VALUE / 4;

    private final long[] timesNs;
    private final int[] tracks;
    private final int[] rows;
    private final int[] firstArcs;
    private final int[] from;
    private final int[] to;
    private final long[] lagsNs;
    private final byte[] kinds;
    private final int[] deciding;
    private final int[] order;
    private final int sink;

    /**
     * Takes ownership of the columns. Arcs are sorted by target; {@code firstArcs} has one entry more than there are
     * nodes.
     */
    DependencyGraph(Nodes nodes, Arcs arcs, int[] firstArcs, int[] deciding, int[] order, int sink) {
        this.timesNs = nodes.timesNs;
        this.tracks = nodes.tracks;
        this.rows = nodes.rows;
        this.from = arcs.from;
        this.to = arcs.to;
        this.lagsNs = arcs.lagsNs;
        this.kinds = arcs.kinds;
        this.firstArcs = firstArcs;
        this.deciding = deciding;
        this.order = order;
        this.sink = sink;
    }

    /** Columns by node. */
    @SuppressWarnings("ArrayRecordComponent") // Columns are handed over, never compared.
    record Nodes(long[] timesNs, int[] tracks, int[] rows) {}

    /** Columns by arc. */
    @SuppressWarnings("ArrayRecordComponent") // Columns are handed over, never compared.
    record Arcs(int[] from, int[] to, long[] lagsNs, byte[] kinds) {}

    /** Returns how many instants there are. */
    public int nodeCount() {
        return timesNs.length;
    }

    public int arcCount() {
        return from.length;
    }

    /** Returns the recorded time of an instant in ns on the axis, cut to the window. */
    public long timeNs(int node) {
        return timesNs[node];
    }

    /** Returns the track of an instant, -1 for the first and the last one. */
    public int track(int node) {
        return tracks[node];
    }

    /** Returns the row that made an instant, -1 for none. */
    public int row(int node) {
        return rows[node];
    }

    /** Returns where an arc begins. */
    public int from(int arc) {
        return from[arc];
    }

    /** Returns where an arc ends. */
    public int to(int arc) {
        return to[arc];
    }

    /** Returns the lag of an arc: the least distance from its begin to its end, in ns. */
    public long lagNs(int arc) {
        return lagsNs[arc];
    }

    /** Returns why. */
    public ArcKind kind(int arc) {
        return KINDS[kinds[arc]];
    }

    /**
     * Returns the median time, in ns, from the end of an operation to the start of the next one that waited only for
     * it; {@code otherwise} if the recording has no such pair.
     */
    public long queuedGapNs(long otherwise) {
        long[] gaps = Arrays.stream(deciding)
                .skip(1) // The root.
                .filter(arc -> kind(arc) == ArcKind.STREAM && lagsNs[arc] >= 0)
                .mapToLong(arc -> lagsNs[arc])
                .sorted()
                .toArray();
        return gaps.length == 0 ? otherwise : gaps[gaps.length / 2];
    }

    /** Returns the time from the first to the last instant, in ns. */
    public long makespanNs() {
        return timesNs[sink] - timesNs[ROOT];
    }

    /** Returns the arcs of the critical path, earliest first. Their lags sum to the makespan. */
    public int[] criticalPath() {
        int count = 0;
        for (int node = sink; node != ROOT; node = from[deciding[node]]) {
            count++;
        }
        int[] path = new int[count];
        for (int node = sink; node != ROOT; node = from[deciding[node]]) {
            path[--count] = deciding[node];
        }
        return path;
    }

    /**
     * Returns the makespan when arcs are shorter than recorded, in ns.
     *
     * @param savedNs by arc, in ns; negative for an arc that takes longer
     */
    public long replayNs(long[] savedNs) {
        long[] replayed = new long[timesNs.length];
        Arrays.fill(replayed, UNREACHED);
        replayed[ROOT] = 0;
        for (int node : order) {
            for (int arc = firstArcs[node]; arc < firstArcs[node + 1]; arc++) {
                replayed[node] = Math.max(replayed[node], replayed[from[arc]] + lagsNs[arc] - savedNs[arc]);
            }
        }
        return replayed[sink];
    }

    /** Returns the arcs on which the end of the window depends. */
    public BitSet needed() {
        BitSet before = new BitSet();
        before.set(sink);
        BitSet arcs = new BitSet();
        for (int i = order.length - 1; i >= 0; i--) {
            if (before.get(order[i])) {
                for (int arc = firstArcs[order[i]]; arc < firstArcs[order[i] + 1]; arc++) {
                    before.set(from[arc]);
                    arcs.set(arc);
                }
            }
        }
        return arcs;
    }

    /**
     * Returns the slack of each arc, in ns: how much longer it could take without delaying the end of the window;
     * {@link Long#MAX_VALUE} if nothing depends on it.
     */
    public long[] slacksNs() {
        long[] untilEnd = new long[timesNs.length];
        Arrays.fill(untilEnd, UNREACHED);
        untilEnd[sink] = 0;
        for (int i = order.length - 1; i >= 0; i--) {
            int node = order[i];
            if (untilEnd[node] > UNREACHED) {
                for (int arc = firstArcs[node]; arc < firstArcs[node + 1]; arc++) {
                    untilEnd[from[arc]] = Math.max(untilEnd[from[arc]], untilEnd[node] + lagsNs[arc]);
                }
            }
        }
        long[] slacks = new long[from.length];
        for (int arc = 0; arc < slacks.length; arc++) {
            slacks[arc] = untilEnd[to[arc]] == UNREACHED
                    ? Long.MAX_VALUE
                    : timesNs[sink] - timesNs[from[arc]] - lagsNs[arc] - untilEnd[to[arc]];
        }
        return slacks;
    }
}
