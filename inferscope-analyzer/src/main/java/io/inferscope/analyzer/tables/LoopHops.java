package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.IntervalTree;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * When an event loop's thread gave one line's work to other threads, again and again.
 *
 * <pre>
 *   task       g        g        g           g: a line of a task gives work away
 *   loop        [wait] w [wait] w [wait] w   w: another thread wakes the loop
 *   hops       |--------|--------|
 * </pre>
 *
 * <p>From one giving to the next at the same line, the loop works and waits for that line, which no stack of it shows.
 * Longer waits are found by what the other thread does, and may be for work. The next request's work is another one's.
 */
final class LoopHops {
    private static final long LONGEST_NS = 2_000_000;

    private final Timeline timeline;
    private final TreeSet<Long> requestsNs = new TreeSet<>();
    private final Map<Integer, Long> wokenNs = new HashMap<>();
    private final IntervalTree[] byTrack;

    LoopHops(Analysis analysis) {
        timeline = analysis.timeline();
        IntStream.of(analysis.rows(RowKind.REQUEST)).forEach(row -> requestsNs.add(timeline.startNs(row)));
        byTrack = IntStream.range(0, timeline.tracks().size())
                .mapToObj(this::find)
                .toArray(IntervalTree[]::new);
    }

    private IntervalTree find(int track) {
        IntervalTree.Builder hops = new IntervalTree.Builder();
        int given = -1;
        int end = timeline.has(Attribute.HAND_OVER) ? timeline.endRow(track) : 0;
        for (int row = timeline.firstRow(track); row < end; row++) {
            if (timeline.kind(row) != RowKind.HAND_OVER) {
                continue;
            }
            if (timeline.attribute(row, Attribute.TAKES) != Attribute.ABSENT) {
                if (HandOver.What.of(timeline, row) == HandOver.What.WAKE_UP) {
                    wokenNs.put(given, timeline.endNs(row));
                } else {
                    given = -1;
                }
            } else if (timeline.attribute(row, Attribute.WHERE) != Attribute.ABSENT) {
                if (given >= 0 && isHop(given, row)) {
                    hops.add(given, timeline.startNs(given), timeline.startNs(row));
                }
                given = row;
            }
        }
        return hops.build();
    }

    private boolean isHop(int given, int next) {
        return timeline.attribute(given, Attribute.WHERE) == timeline.attribute(next, Attribute.WHERE)
                && timeline.startNs(next) - timeline.startNs(given) <= LONGEST_NS
                && wokenNs.containsKey(given)
                && requestsNs
                        .subSet(timeline.startNs(given), timeline.startNs(next))
                        .isEmpty();
    }

    /**
     * Returns the row at which the work was given away for which a thread's loop works or waits meanwhile; -1 for none.
     * When it is woken, the loop waits no longer for that work.
     */
    int of(int track, ThreadPiece piece) {
        long ns = (piece.fromNs() + piece.toNs()) / 2;
        boolean any = byTrack[track].meet(ns, ns + 1); // Asked of every piece; most programs have no hops.
        int row = any ? given(track, ns, ns + 1).max().orElse(-1) : -1;
        boolean waits = piece.ledgerClass().isWaiting() && !piece.ledgerClass().isHostWork();
        return waits && row >= 0 && ns > wokenNs.getOrDefault(row, Long.MAX_VALUE) ? -1 : row;
    }

    /** Returns the rows at which the hops in an interval begin. */
    IntStream given(int track, long fromNs, long toNs) {
        IntStream.Builder rows = IntStream.builder();
        byTrack[track].meeting(fromNs, toNs, rows::add);
        return rows.build();
    }
}
