package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
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
 * Longer waits are found by what the other thread does, and may be for work.
 */
public final class LoopHops {
    private static final long LONGEST_NS = 2_000_000;

    private final Timeline timeline;
    private final IntervalTree[] byTrack;

    public LoopHops(Timeline timeline) {
        this.timeline = timeline;
        byTrack = new IntervalTree[timeline.tracks().size()];
        for (int track = 0; track < byTrack.length; track++) {
            byTrack[track] = find(track);
        }
    }

    private IntervalTree find(int track) {
        IntervalTree.Builder hops = new IntervalTree.Builder();
        int given = -1;
        boolean woken = false;
        int end = timeline.has(Attribute.HAND_OVER) ? timeline.endRow(track) : 0;
        for (int row = timeline.firstRow(track); row < end; row++) {
            if (timeline.kind(row) != RowKind.HAND_OVER) {
                continue;
            }
            if (timeline.attribute(row, Attribute.TAKES) != Attribute.ABSENT) {
                woken |= NameRole.WAKES_LOOP.in(timeline.name(row));
            } else if (timeline.attribute(row, Attribute.WHERE) != Attribute.ABSENT) {
                boolean again = given >= 0
                        && timeline.attribute(given, Attribute.WHERE) == timeline.attribute(row, Attribute.WHERE);
                if (again && woken && timeline.startNs(row) - timeline.startNs(given) <= LONGEST_NS) {
                    hops.add(given, timeline.startNs(given), timeline.startNs(row));
                }
                given = row;
                woken = false;
            }
        }
        return hops.build();
    }

    /** Returns the row at which the work was given away for which a thread's loop works or waits; -1 for none. */
    public int at(int track, long ns) {
        int[] found = {-1};
        byTrack[track].meeting(ns, ns + 1, row -> found[0] = row);
        return found[0];
    }

    /** Returns the rows at which a thread gave work away in an interval, each but the last of its line. */
    public IntStream given(int track, long fromNs, long toNs) {
        IntStream.Builder rows = IntStream.builder();
        byTrack[track].meeting(fromNs, toNs, rows::add);
        return rows.build();
    }
}
