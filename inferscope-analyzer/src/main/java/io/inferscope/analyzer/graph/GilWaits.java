package io.inferscope.analyzer.graph;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Waits for the interpreter's global lock whose recorded state names the thread that held it.
 *
 * <pre>
 *   holder   ............. g ........           g: the holder has held the lock for as long as the thread waited
 *                           \ rest
 *   state    [ blocked, on a CPU .... ]         a row counts how long, not when: its other time is placed after the wait
 * </pre>
 */
final class GilWaits {
    private static final int[] NONE = {};

    private final Timeline timeline;

    /** State rows by the track of the holder, ascending. */
    private final Map<Integer, int[]> byHolder = new HashMap<>();

    GilWaits(Timeline timeline) {
        this.timeline = timeline;
        if (!timeline.has(Attribute.OTHER_THREAD)) {
            return;
        }
        Map<Integer, IntStream.Builder> held = new HashMap<>();
        timeline.rows()
                .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE)
                .forEach(row -> {
                    int holder = holder(row);
                    if (holder >= 0) {
                        held.computeIfAbsent(holder, h -> IntStream.builder()).add(row);
                    }
                });
        held.forEach((holder, rows) -> byHolder.put(holder, rows.build().toArray()));
    }

    /**
     * Returns the thread that held the lock while another one waited for it in a state; -1 if it did not wait for the
     * lock, or the holder is unknown.
     */
    int holder(int stateRow) {
        long tid = timeline.attribute(stateRow, Attribute.OTHER_THREAD);
        boolean gil = WaitReason.of(timeline, stateRow) == WaitReason.GIL;
        if (!gil || tid == Attribute.ABSENT || BlockedTime.blockedNs(timeline, stateRow) == 0) {
            return -1;
        }
        int own = timeline.track(stateRow);
        int process = timeline.tracks().get(own).parent();
        int holder = timeline.knownTrack(TrackKind.THREAD, process, Long.toString(tid));
        return holder == own ? -1 : holder;
    }

    /** Returns the states in which other threads waited for a thread that held the lock. */
    int[] heldBy(int track) {
        return byHolder.getOrDefault(track, NONE);
    }

    /** Returns when the holder has held the lock for as long as the thread waited in a state, in ns. */
    long heldUntilNs(int stateRow) {
        return timeline.startNs(stateRow) + BlockedTime.blockedNs(timeline, stateRow);
    }

    /** Returns how long the thread did not wait for the lock in a state, in ns. */
    long restNs(int stateRow) {
        return timeline.endNs(stateRow) - heldUntilNs(stateRow);
    }

    /**
     * Returns how long a thread waited in the part of a state from {@code fromNs} on, in ns, if the wait is spread
     * evenly.
     */
    long waitedFromNs(int stateRow, long fromNs) {
        long lengthNs = timeline.durationNs(stateRow);
        double part = (double) (timeline.endNs(stateRow) - Math.max(fromNs, timeline.startNs(stateRow))) / lengthNs;
        return Math.round(part * BlockedTime.blockedNs(timeline, stateRow));
    }
}
