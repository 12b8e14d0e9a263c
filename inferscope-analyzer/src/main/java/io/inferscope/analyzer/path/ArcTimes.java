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
import io.inferscope.timeline.ColumnStore;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The composition of the lag of every arc of the dependency graph: class, place and time. Columns of primitives,
 * because a trace has as many entries as idle blame has pieces; one entry per run of pieces of an arc with equal class
 * and place.
 *
 * <p>Class, place, track and part together are an amount, of which there are a few thousand: what depends on these
 * alone is asked of the amounts, not of the entries.
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
    private final Meanings meanings;

    /** Begins and ends of parts, ascending. No entry crosses an edge. */
    private final long[] edgesNs;

    /** By part (the group), track, class and place. */
    private final BlameAmounts amounts = new BlameAmounts();

    // By entry. A begin is counted back from the end of its arc, and an end from the begin, because such distances fit
    // into 32 bits.
    private final ColumnStore arcs = new ColumnStore(0);
    private final ColumnStore numbers = new ColumnStore(0);
    private final ColumnStore ns = new ColumnStore(0);
    private final ColumnStore beforeEndNs = new ColumnStore(0);
    private final ColumnStore lengthsNs = new ColumnStore(0);
    private int count;
    private int arc;
    private int lastArc = -1;
    private int lastNumber = -1;

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
        if (arc == lastArc && number == lastNumber) {
            ns.set(last, ns(last) + pieceNs);
            lengthsNs.set(last, Math.max(endNs(last), toNs) - startNs(last));
            return;
        }
        lastArc = arc;
        lastNumber = number;
        arcs.set(count, arc);
        numbers.set(count, number);
        ns.set(count, pieceNs);
        beforeEndNs.set(count, arcEndNs(arc) - fromNs);
        lengthsNs.set(count++, toNs - fromNs);
    }

    private long arcEndNs(int ofArc) {
        return graph.timeNs(graph.to(ofArc));
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
        for (int entry = 0; entry < count; entry++) {
            double share = shares[number(entry)];
            if (share != 0) {
                ofArcsNs[arc(entry)] += share == 1 ? ns(entry) : Math.round(share * ns(entry));
            }
        }
    }

    /** Returns the entries of some amounts; {@code wanted} is by number of the amount. */
    int[] entries(boolean[] wanted) {
        int[] found = new int[64];
        int size = 0;
        for (int entry = 0; entry < count; entry++) {
            if (wanted[number(entry)]) {
                found = size == found.length ? Arrays.copyOf(found, 2 * size) : found;
                found[size++] = entry;
            }
        }
        return Arrays.copyOf(found, size);
    }

    int arc(int entry) {
        return (int) arcs.get(entry);
    }

    /** Returns the number of an entry's amount. */
    int number(int entry) {
        return (int) numbers.get(entry);
    }

    long ns(int entry) {
        return ns.get(entry);
    }

    long startNs(int entry) {
        return arcEndNs(arc(entry)) - beforeEndNs.get(entry);
    }

    /** Returns when the last piece ends. The pieces may take less than the time from the first begin to this end. */
    long endNs(int entry) {
        return startNs(entry) + lengthsNs.get(entry);
    }
}
