package io.inferscope.analyzer.path;

import io.inferscope.analyzer.activity.RowMeanings;
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
import java.util.BitSet;
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
    /** Entries that are read at once. */
    private static final int BLOCK = 1 << 12;

    private final DependencyGraph graph;
    private final Timeline timeline;
    private final RowMeanings meanings;

    /** Begins and ends of parts, ascending. No entry crosses an edge. */
    private final long[] edgesNs;

    /** By part (the group), track, class and place. */
    private final BlameAmounts amounts = new BlameAmounts();

    /** By arc: its first entry; one more than there are arcs. */
    private final int[] firstEntries;

    // By entry. Two of four columns are empty as long as the pieces of an arc follow each other without a gap.
    private final ColumnStore numbers = new ColumnStore(0);
    private final ColumnStore ns = new ColumnStore(0);

    /** From the end of the entry before in the same arc, or from {@link #beginNs}. */
    private final ColumnStore gapsNs = new ColumnStore(0);

    private boolean hasGaps;

    /** Time between its pieces. */
    private final ColumnStore betweenNs = new ColumnStore(0);

    private boolean hasBetween;

    /** By number of an amount. */
    private int[] entriesOf = new int[256];

    private int count;
    private int arc;

    // The last entry, stored when the next one begins or the arc ends.
    private int lastMeaning = -1;
    private int lastTrack;
    private int lastPart;
    private int lastPieces;
    private long lastNs;
    private long lastStartNs;
    private long lastEndNs;

    /** Where the gap before the last entry begins. */
    private long gapStartNs;

    /** The part of the last piece. */
    private int part;

    /** If not -1, only pieces of this thread count. */
    private int only = -1;

    ArcTimes(Analysis analysis, CriticalPath path) {
        this.graph = path.graph();
        this.timeline = analysis.timeline();
        this.meanings = analysis.classifier().meanings();
        this.edgesNs = edges(analysis);
        this.firstEntries = new int[graph.arcCount() + 1];
        BitSet needed = graph.needed();
        int node = -1;
        long workEndNs = 0;
        for (arc = 0; arc < graph.arcCount(); arc++) {
            firstEntries[arc] = count;
            gapStartNs = beginNs(arc);
            ArcKind kind = graph.kind(arc);
            if (kind == ArcKind.PROGRAM) {
                node = graph.to(arc);
                workEndNs = graph.timeNs(graph.from(arc)) + graph.lagNs(arc);
            }
            if (!needed.get(arc)) {
                continue;
            }
            if (kind == ArcKind.GIL) {
                working(path, graph.to(arc), timeline.startNs(graph.row(graph.to(arc))));
            } else if (kind == ArcKind.PROGRAM && isGilWait(node)) {
                working(path, node, graph.timeNs(graph.from(arc)));
            } else if (kind == ArcKind.HAND_OVER || kind == ArcKind.LOCK) {
                only = graph.track(graph.to(arc));
                if (node == graph.to(arc)) {
                    // Nothing before its birth is its own, and of thousands of threads that is most of the window.
                    path.host(only, Math.max(workEndNs, analysis.threads().ownFromNs(only)), graph.timeNs(node), this);
                }
                only = -1;
            } else if (kind != ArcKind.SYNCHRONISATION && graph.lagNs(arc) > 0) {
                path.step(arc, graph.timeNs(graph.to(arc)) - graph.lagNs(arc), graph.timeNs(graph.to(arc)), this);
            }
            endEntry();
        }
        firstEntries[arc] = count;
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
        int plain = meanings.withoutName(meaning);
        if (plain == lastMeaning && track == lastTrack && part == lastPart) {
            lastNs += pieceNs;
            lastEndNs = Math.max(lastEndNs, toNs);
            lastPieces++;
            return;
        }
        endEntry();
        lastMeaning = plain;
        lastTrack = track;
        lastPart = part;
        lastNs = pieceNs;
        lastStartNs = fromNs;
        lastEndNs = toNs;
        lastPieces = 1;
    }

    private void endEntry() {
        if (lastMeaning < 0) {
            return;
        }
        int number = amounts.add(lastPart, lastTrack, lastMeaning, meanings, lastNs, lastPieces)
                .number();
        entriesOf = number < entriesOf.length ? entriesOf : Arrays.copyOf(entriesOf, 2 * number);
        entriesOf[number]++;
        numbers.set(count, number);
        ns.set(count, lastNs);
        if (lastStartNs != gapStartNs) {
            gapsNs.set(count, lastStartNs - gapStartNs);
            hasGaps = true;
        }
        if (lastEndNs - lastStartNs != lastNs) {
            betweenNs.set(count, lastEndNs - lastStartNs - lastNs);
            hasBetween = true;
        }
        count++;
        gapStartNs = lastEndNs;
        lastMeaning = -1;
    }

    /** Returns where the first piece of an arc usually begins. */
    private long beginNs(int ofArc) {
        return graph.kind(ofArc) == ArcKind.PROGRAM
                ? graph.timeNs(graph.from(ofArc))
                : graph.timeNs(graph.to(ofArc)) - graph.lagNs(ofArc);
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
        long[] some = new long[BLOCK];
        int of = 0;
        for (int from = 0; from < count; from += BLOCK) {
            int end = Math.min(count, from + BLOCK);
            numbers.copy(from, end - from, some);
            for (int entry = from; entry < end; entry++) {
                double share = shares[(int) some[entry - from]];
                if (share != 0) {
                    while (firstEntries[of + 1] <= entry) {
                        of++;
                    }
                    ofArcsNs[of] += share == 1 ? ns.get(entry) : Math.round(share * ns.get(entry));
                }
            }
        }
    }

    /**
     * Some entries, in the order of their arcs.
     *
     * @param count how many; the columns may be longer
     * @param endsNs when the last piece of each ends; its pieces may take less than the time from its start to then
     * @param ns the time of its pieces
     */
    @SuppressWarnings("ArrayRecordComponent") // Columns are handed over, never compared.
    record Entries(int count, int[] arcs, long[] startsNs, long[] endsNs, long[] ns) {}

    /** Which entries are wanted, by the number of the amount. */
    interface Wanted {
        boolean test(int ofArc, int amount);
    }

    /** Returns the entries of some amounts that meet a condition. */
    Entries entries(List<Amount> ofAmounts, Wanted wanted) {
        boolean[] isOf = new boolean[amounts.count()];
        int most = 0;
        for (Amount amount : ofAmounts) {
            isOf[amount.number()] = true;
            most += entriesOf[amount.number()];
        }
        int[] ofArcs = new int[most];
        long[] startsNs = new long[most];
        long[] endsNs = new long[most];
        long[] entriesNs = new long[most];
        int found = 0;
        for (int of = 0; of + 1 < firstEntries.length; of++) {
            if (!hasAny(of, isOf)) {
                continue; // Most arcs: their times need not be read.
            }
            long atNs = beginNs(of);
            for (int entry = firstEntries[of]; entry < firstEntries[of + 1]; entry++) {
                int number = (int) numbers.get(entry);
                long entryNs = ns.get(entry);
                long startNs = hasGaps ? atNs + gapsNs.get(entry) : atNs;
                atNs = startNs + entryNs + (hasBetween ? betweenNs.get(entry) : 0);
                if (isOf[number] && wanted.test(of, number)) {
                    ofArcs[found] = of;
                    startsNs[found] = startNs;
                    endsNs[found] = atNs;
                    entriesNs[found++] = entryNs;
                }
            }
        }
        return new Entries(found, ofArcs, startsNs, endsNs, entriesNs);
    }

    private boolean hasAny(int ofArc, boolean[] amountsWanted) {
        for (int entry = firstEntries[ofArc]; entry < firstEntries[ofArc + 1]; entry++) {
            if (amountsWanted[(int) numbers.get(entry)]) {
                return true;
            }
        }
        return false;
    }
}
