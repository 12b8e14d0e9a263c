package io.inferscope.analyzer.path;

import io.inferscope.analyzer.activity.ThreadStates;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.graph.ArcKind;
import io.inferscope.analyzer.graph.DependencyGraph;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The composition of the lag of every arc of the dependency graph: class, place and time. Columns of primitives,
 * because a trace has as many entries as idle blame has pieces; one entry per run of pieces of an arc with equal class
 * and place. In segments, because a column that grows by copying leaves twice its size in garbage.
 *
 * <pre>
 *   program arc     what the thread did until it began to wait
 *   hand-over       the wait's time that the giver's work does not explain: waking up, a sleeping giver
 *   operation       the operation itself
 *   launch          launch latency, wait after launch
 * </pre>
 */
final class ArcTimes implements CriticalPath.Sink {
    private final DependencyGraph graph;
    private final Timeline timeline;

    /** Begins and ends of parts, ascending. No entry crosses an edge. */
    private final long[] edgesNs;

    private static final int SHIFT = 12;
    private static final int MASK = (1 << SHIFT) - 1;

    private int[][] arcs = new int[4][];
    private byte[][] classes = new byte[4][];
    private byte[][] parts = new byte[4][];
    private int[][] places = new int[4][];
    private int[][] tracks = new int[4][];
    private long[][] ns = new long[4][];
    private long[][] startsNs = new long[4][];
    private long[][] endsNs = new long[4][];
    private int count;
    private int arc;

    /** If not -1, only pieces of this thread count. */
    private int only = -1;

    ArcTimes(Analysis analysis, CriticalPath path) {
        this.graph = path.graph();
        this.timeline = analysis.timeline();
        this.edgesNs = edges(analysis);
        long[] slacks = graph.slacksNs();
        int node = -1;
        long workEndNs = 0;
        for (arc = 0; arc < slacks.length; arc++) {
            ArcKind kind = graph.kind(arc);
            if (kind == ArcKind.PROGRAM) {
                node = graph.to(arc);
                workEndNs = graph.timeNs(graph.from(arc)) + graph.lagNs(arc);
            }
            if (slacks[arc] == Long.MAX_VALUE) {
                continue;
            }
            if (kind == ArcKind.GIL) {
                working(path, graph.to(arc), timeline.startNs(graph.row(graph.to(arc))));
            } else if (kind == ArcKind.PROGRAM && isGilWait(node)) {
                working(path, node, graph.timeNs(graph.from(arc)));
            } else if (kind == ArcKind.HAND_OVER || kind == ArcKind.LOCK) {
                only = graph.track(graph.to(arc));
                if (node == graph.to(arc)) {
                    path.host(only, workEndNs, graph.timeNs(node), this);
                }
                only = -1;
            } else if (kind != ArcKind.SYNCHRONISATION && graph.lagNs(arc) > 0) {
                path.step(arc, graph.timeNs(graph.to(arc)) - graph.lagNs(arc), graph.timeNs(graph.to(arc)), this);
            }
        }
    }

    private boolean isGilWait(int node) {
        int row = graph.row(node);
        return row >= 0 && timeline.kind(row) == RowKind.THREAD_STATE && timeline.track(row) == graph.track(node);
    }

    /**
     * A thread's work up to the end of a state, without its wait for the GIL in that state: the wait is a dependency on
     * the holder.
     */
    private void working(CriticalPath path, int node, long fromNs) {
        int track = graph.track(node);
        long stateNs = timeline.startNs(graph.row(node));
        path.host(track, fromNs, graph.timeNs(node), (of, cause, activity, place, startNs, endNs, ns) -> {
            boolean dependency = cause == LedgerClass.WAIT_GIL && of == track && startNs >= stateNs;
            if (!dependency) {
                take(of, cause, activity, place, startNs, endNs, ns);
            }
        });
    }

    private static long[] edges(Analysis analysis) {
        List<Stretch> stretches = new ArrayList<>(List.of(analysis.judged().stretch()));
        analysis.headline().ifPresent(device -> stretches.add(new Stretch(device.firstNs(), device.lastNs())));
        return stretches.stream()
                .flatMapToLong(stretch -> LongStream.of(stretch.startNs(), stretch.endNs()))
                .sorted()
                .distinct()
                .toArray();
    }

    @Override
    public void take(int track, LedgerClass cause, int activity, int place, long startNs, long endNs, long pieceNs) {
        if (only >= 0 && track != only) {
            return;
        }
        long fromNs = startNs;
        long givenNs = 0;
        for (int part = 0; part <= edgesNs.length; part++) {
            long toNs = part == edgesNs.length ? endNs : Math.min(endNs, edgesNs[part]);
            if (toNs > fromNs || (toNs == endNs && givenNs < pieceNs && startNs == endNs)) {
                long upToNs =
                        toNs == endNs ? pieceNs : ThreadStates.shareOfFirst(toNs - startNs, pieceNs, endNs - startNs);
                add(track, cause, place, (byte) part, fromNs, toNs, upToNs - givenNs);
                givenNs = upToNs;
                fromNs = toNs;
            }
        }
    }

    private void add(int track, LedgerClass cause, int place, byte part, long fromNs, long toNs, long pieceNs) {
        int last = count - 1;
        if (last >= 0
                && arc(last) == arc
                && classes[last >> SHIFT][last & MASK] == cause.ordinal()
                && place(last) == place
                && track(last) == track
                && parts[last >> SHIFT][last & MASK] == part) {
            ns[last >> SHIFT][last & MASK] += pieceNs;
            endsNs[last >> SHIFT][last & MASK] = Math.max(endNs(last), toNs);
            return;
        }
        int segment = count >> SHIFT;
        int at = count & MASK;
        if (at == 0) {
            addSegment(segment);
        }
        arcs[segment][at] = arc;
        classes[segment][at] = (byte) cause.ordinal();
        parts[segment][at] = part;
        places[segment][at] = place;
        tracks[segment][at] = track;
        ns[segment][at] = pieceNs;
        startsNs[segment][at] = fromNs;
        endsNs[segment][at] = toNs;
        count++;
    }

    private void addSegment(int segment) {
        if (segment == arcs.length) {
            arcs = Arrays.copyOf(arcs, 2 * segment);
            classes = Arrays.copyOf(classes, 2 * segment);
            parts = Arrays.copyOf(parts, 2 * segment);
            places = Arrays.copyOf(places, 2 * segment);
            tracks = Arrays.copyOf(tracks, 2 * segment);
            ns = Arrays.copyOf(ns, 2 * segment);
            startsNs = Arrays.copyOf(startsNs, 2 * segment);
            endsNs = Arrays.copyOf(endsNs, 2 * segment);
        }
        arcs[segment] = new int[MASK + 1];
        classes[segment] = new byte[MASK + 1];
        parts[segment] = new byte[MASK + 1];
        places[segment] = new int[MASK + 1];
        tracks[segment] = new int[MASK + 1];
        ns[segment] = new long[MASK + 1];
        startsNs[segment] = new long[MASK + 1];
        endsNs[segment] = new long[MASK + 1];
    }

    int count() {
        return count;
    }

    int arc(int entry) {
        return arcs[entry >> SHIFT][entry & MASK];
    }

    LedgerClass ledgerClass(int entry) {
        return CLASSES[classes[entry >> SHIFT][entry & MASK]];
    }

    /** Returns whether an entry lies in an interval, which must be one of the parts or the window. */
    boolean isIn(int entry, Stretch stretch) {
        int part = parts[entry >> SHIFT][entry & MASK];
        boolean after = part == 0 ? stretch.startNs() < edgesNs[0] : stretch.startNs() <= edgesNs[part - 1];
        boolean before =
                part == edgesNs.length ? stretch.endNs() > edgesNs[part - 1] : stretch.endNs() >= edgesNs[part];
        return after && before;
    }

    int place(int entry) {
        return places[entry >> SHIFT][entry & MASK];
    }

    /** Returns the track of the thread or stream that did the work. */
    int track(int entry) {
        return tracks[entry >> SHIFT][entry & MASK];
    }

    long ns(int entry) {
        return ns[entry >> SHIFT][entry & MASK];
    }

    long startNs(int entry) {
        return startsNs[entry >> SHIFT][entry & MASK];
    }

    /** Returns when the last piece ends. The pieces may take less than the time from the first begin to this end. */
    long endNs(int entry) {
        return endsNs[entry >> SHIFT][entry & MASK];
    }

    private static final LedgerClass[] CLASSES = LedgerClass.values();
}
