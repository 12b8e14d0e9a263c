package io.inferscope.analyzer.path;

import io.inferscope.analyzer.activity.Meanings;
import io.inferscope.analyzer.activity.ThreadStates;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.BlameAmounts;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
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
 * <p>Class, place, track and part together are an amount, of which there are a few thousand: what depends on these alone
 * is asked of the amounts, not of the entries.
 *
 * <pre>
 *   program arc     what the thread did until it began to wait
 *   hand-over       the wait's time that the giver's work does not explain: waking up, a sleeping giver
 *   operation       the operation itself
 *   launch          launch latency, wait after launch
 * </pre>
 */
final class ArcTimes implements CriticalPath.Sink {
    private static final int SHIFT = 12;
    private static final int MASK = (1 << SHIFT) - 1;

    private final DependencyGraph graph;
    private final Timeline timeline;
    private final Meanings meanings;

    /** Begins and ends of parts, ascending. No entry crosses an edge. */
    private final long[] edgesNs;

    /** By part (the group), track, class and place. */
    private final BlameAmounts amounts = new BlameAmounts();

    private int[][] arcs = new int[4][];
    private int[][] numbers = new int[4][];
    private long[][] ns = new long[4][];
    private long[][] startsNs = new long[4][];
    private long[][] endsNs = new long[4][];
    private int count;
    private int arc;

    /** The part of the last piece. */
    private int part;

    /** If not -1, only pieces of this thread count. */
    private int only = -1;

    ArcTimes(Analysis analysis, CriticalPath path) {
        this.graph = path.graph();
        this.timeline = analysis.timeline();
        this.meanings = analysis.classifier().meanings();
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
        path.host(track, fromNs, graph.timeNs(node), (of, meaning, startNs, endNs, ns) -> {
            boolean dependency = meanings.cause(meaning) == LedgerClass.WAIT_GIL && of == track && startNs >= stateNs;
            if (!dependency) {
                take(of, meaning, startNs, endNs, ns);
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
    public void take(int track, int meaning, long startNs, long endNs, long pieceNs) {
        if (only >= 0 && track != only) {
            return;
        }
        if (startNs < endNs && partStartNs(part) <= startNs && endNs <= partEndNs(part)) {
            add(track, meaning, startNs, endNs, pieceNs);
            return;
        }
        long fromNs = startNs;
        long givenNs = 0;
        for (int of = 0; of <= edgesNs.length; of++) {
            long toNs = Math.min(endNs, partEndNs(of));
            if (toNs > fromNs || (toNs == endNs && givenNs < pieceNs && startNs == endNs)) {
                long upToNs =
                        toNs == endNs ? pieceNs : ThreadStates.shareOfFirst(toNs - startNs, pieceNs, endNs - startNs);
                part = of;
                add(track, meaning, fromNs, toNs, upToNs - givenNs);
                givenNs = upToNs;
                fromNs = toNs;
            }
        }
    }

    private long partStartNs(int of) {
        return of == 0 ? Long.MIN_VALUE : edgesNs[of - 1];
    }

    private long partEndNs(int of) {
        return of == edgesNs.length ? Long.MAX_VALUE : edgesNs[of];
    }

    private void add(int track, int meaning, long fromNs, long toNs, long pieceNs) {
        int number = amounts.add(part, track, meanings.withoutName(meaning), meanings, pieceNs, 1)
                .number();
        int last = count - 1;
        if (last >= 0 && arc(last) == arc && number(last) == number) {
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
        numbers[segment][at] = number;
        ns[segment][at] = pieceNs;
        startsNs[segment][at] = fromNs;
        endsNs[segment][at] = toNs;
        count++;
    }

    private void addSegment(int segment) {
        if (segment == arcs.length) {
            arcs = Arrays.copyOf(arcs, 2 * segment);
            numbers = Arrays.copyOf(numbers, 2 * segment);
            ns = Arrays.copyOf(ns, 2 * segment);
            startsNs = Arrays.copyOf(startsNs, 2 * segment);
            endsNs = Arrays.copyOf(endsNs, 2 * segment);
        }
        arcs[segment] = new int[MASK + 1];
        numbers[segment] = new int[MASK + 1];
        ns[segment] = new long[MASK + 1];
        startsNs[segment] = new long[MASK + 1];
        endsNs[segment] = new long[MASK + 1];
    }

    /** Returns the amounts, in the order in which they first occur; their places and tracks are those of the work. */
    List<Amount> amounts() {
        return amounts.all();
    }

    /** Returns whether an amount lies in an interval, which must be one of the parts or the window. */
    boolean isIn(Amount amount, Stretch stretch) {
        int of = amount.group();
        boolean after = of == 0 ? stretch.startNs() < edgesNs[0] : stretch.startNs() <= edgesNs[of - 1];
        boolean before = of == edgesNs.length ? stretch.endNs() > edgesNs[of - 1] : stretch.endNs() >= edgesNs[of];
        return after && before;
    }

    /** Adds to each arc a share of the time of its entries, 0 to 1, given by the number of the amount. */
    void addTo(long[] ofArcsNs, double[] shares) {
        for (int segment = 0; segment << SHIFT < count; segment++) {
            int[] ofArcs = arcs[segment];
            int[] ofAmounts = numbers[segment];
            long[] pieces = ns[segment];
            int end = Math.min(MASK + 1, count - (segment << SHIFT));
            for (int i = 0; i < end; i++) {
                double share = shares[ofAmounts[i]];
                if (share != 0) {
                    ofArcsNs[ofArcs[i]] += share == 1 ? pieces[i] : Math.round(share * pieces[i]);
                }
            }
        }
    }

    /** Returns the entries of some amounts; {@code wanted} is by number of the amount. */
    int[] entries(boolean[] wanted) {
        int[] found = new int[64];
        int size = 0;
        for (int segment = 0; segment << SHIFT < count; segment++) {
            int[] ofAmounts = numbers[segment];
            int first = segment << SHIFT;
            int end = Math.min(MASK + 1, count - first);
            for (int i = 0; i < end; i++) {
                if (wanted[ofAmounts[i]]) {
                    found = size == found.length ? Arrays.copyOf(found, 2 * size) : found;
                    found[size++] = first + i;
                }
            }
        }
        return Arrays.copyOf(found, size);
    }

    int arc(int entry) {
        return arcs[entry >> SHIFT][entry & MASK];
    }

    /** Returns the number of an entry's amount. */
    int number(int entry) {
        return numbers[entry >> SHIFT][entry & MASK];
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
}
