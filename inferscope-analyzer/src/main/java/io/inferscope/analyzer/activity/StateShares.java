package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.Placement;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Divides a state row's counters among its parts. A counter tells how long, not when. Without other knowledge, each
 * time is spread evenly over the row.
 *
 * <pre>
 *   state row    [ on a CPU 2 ms, blocked 8 ms      ]
 *   known wait   [ queue.get ........... ]
 *   blocked       BBBBBBBBBBBBBBBBBBBBBBB
 *   on a CPU                              RRRRRRRRR
 * </pre>
 *
 * Where it is known when the thread waited, or may have waited, blocked time is put there first: into the first of
 * several {@link Intervals intervals} (its hand-overs, say), in proportion to their lengths. What does not fit goes into the
 * next ones (such as the time outside the model), and the remainder is spread evenly over the rest of the row. On-CPU
 * and runnable time share the remaining time of each part in proportion to their totals. Each amount is the difference
 * of a cumulative function at the ends of the part, so the parts of a row sum to its totals. The error bound of a part
 * ({@link io.inferscope.analyzer.model.PlacementError}) assumes that the waits are true: of the places that blocked
 * time was put into, all but the last are full; in the last it lies anywhere. On-CPU and runnable time lie anywhere in
 * the remaining time.
 */
final class StateShares {
    private final long lengthNs;
    private final long startNs;
    private final long onCpuNs;
    private final long runnableNs;
    private final long blockedNs;

    /**
     * Where the row's blocked time is put, the first ones first; empty if nothing is known, or if nothing is to be
     * placed.
     */
    private final List<Intervals> places;

    /** By place, and at the end for the rest of the row: its length in the row, and the blocked time that it gets. */
    private final long[] roomNs;

    private final long[] filledNs;

    /** The last place with blocked time, the only one that may not be full. */
    private int loosest;

    private final int thread;
    private final int row;

    private long partNs;

    /** How much of the last place with blocked time lies in the part. */
    private double loosePartNs;

    private long runsNs;
    private long queuesNs;
    private long blocksNs;

    /**
     * Places blocked time into {@code known}, the first ones first; they must not overlap.
     *
     * @param lateNs CPU time of the row beyond what was counted in it, in ns: see {@link CpuTickCorrection}
     */
    StateShares(Timeline timeline, int stateRow, List<Intervals> known, long lateNs) {
        thread = timeline.track(stateRow);
        row = stateRow;
        lengthNs = timeline.durationNs(stateRow);
        startNs = timeline.startNs(stateRow);
        onCpuNs = Math.max(0, Math.min(lengthNs, timeline.attribute(stateRow, Attribute.ON_CPU_NS) + lateNs));
        runnableNs = Math.max(0, Math.min(lengthNs - onCpuNs, timeline.attribute(stateRow, Attribute.RUNNABLE_NS)));
        blockedNs = lengthNs - onCpuNs - runnableNs;
        boolean placed = blockedNs > 0 && blockedNs < lengthNs;
        long roomsNs = 0;
        long fillsNs = 0;
        roomNs = new long[known.size() + 1];
        filledNs = new long[known.size() + 1];
        for (int i = 0; i <= known.size() && placed; i++) {
            roomNs[i] =
                    i == known.size() ? lengthNs - roomsNs : known.get(i).totalWithinNs(startNs, startNs + lengthNs);
            filledNs[i] = Math.min(roomNs[i], blockedNs - fillsNs);
            loosest = filledNs[i] > 0 ? i : loosest;
            roomsNs += roomNs[i];
            fillsNs += filledNs[i];
        }
        places = placed && roomNs[known.size()] < lengthNs ? known : List.of();
    }

    /**
     * Returns the latest end of a part that begins at {@code fromNs} and lies either inside one place of known waits or
     * outside all of them.
     */
    long endOfPartNs(long fromNs, long toNs) {
        long endNs = toNs;
        for (Intervals place : places) {
            endNs = Math.min(endNs, place.nextEdgeNs(fromNs));
        }
        return endNs;
    }

    /** Chooses the part that the other methods refer to. */
    void part(long fromNs, long toNs) {
        partNs = toNs - fromNs;
        if (places.isEmpty()) {
            spreadEvenly(fromNs - startNs);
            return;
        }
        long blockedFromNs = blockedUntil(fromNs);
        long blockedToNs = blockedUntil(toNs);
        long awakeNs = lengthNs - blockedNs;
        blocksNs = blockedToNs - blockedFromNs;
        runsNs = ThreadStates.shareOfFirst(toNs - startNs - blockedToNs, onCpuNs, awakeNs)
                - ThreadStates.shareOfFirst(fromNs - startNs - blockedFromNs, onCpuNs, awakeNs);
        queuesNs = partNs - blocksNs - runsNs;
        loosePartNs = (double) roomOf(loosest, toNs) - roomOf(loosest, fromNs);
    }

    private void spreadEvenly(long offsetNs) {
        runsNs = Math.min(partNs, proportion(offsetNs, onCpuNs));
        queuesNs = Math.min(partNs - runsNs, proportion(offsetNs, runnableNs));
        blocksNs = partNs - runsNs - queuesNs;
        if (blockedNs == 0) {
            runsNs += blocksNs;
            blocksNs = 0;
        }
    }

    private long proportion(long offsetNs, long totalNs) {
        return ThreadStates.shareOfFirst(offsetNs + partNs, totalNs, lengthNs)
                - ThreadStates.shareOfFirst(offsetNs, totalNs, lengthNs);
    }

    /** Returns the row's blocked time before {@code timeNs}. */
    private long blockedUntil(long timeNs) {
        long blocked = 0;
        for (int i = 0; i <= loosest; i++) {
            blocked += filledNs[i] == 0 ? 0 : ThreadStates.shareOfFirst(roomOf(i, timeNs), filledNs[i], roomNs[i]);
        }
        return blocked;
    }

    /** Returns how much of a place, or of the rest of the row, lies in the row before {@code timeNs}. */
    private long roomOf(int place, long timeNs) {
        if (place < places.size()) {
            return places.get(place).totalWithinNs(startNs, timeNs);
        }
        long rest = timeNs - startNs;
        for (Intervals each : places) {
            rest -= each.totalWithinNs(startNs, timeNs);
        }
        return rest;
    }

    long runsNs() {
        return runsNs;
    }

    long queuesNs() {
        return queuesNs;
    }

    long blocksNs() {
        return blocksNs;
    }

    AmountBasis runs() {
        return awake(Placement.Kind.ON_CPU, onCpuNs);
    }

    AmountBasis queues() {
        return awake(Placement.Kind.RUNNABLE, runnableNs);
    }

    AmountBasis blocks() {
        return places.isEmpty()
                ? basis(blockedNs, placement(Placement.Kind.BLOCKED, blockedNs, lengthNs, (double) partNs, null))
                : basis(blockedNs, loose(Placement.Kind.BLOCKED, 1));
    }

    private AmountBasis awake(Placement.Kind kind, long totalNs) {
        if (places.isEmpty()) {
            return basis(totalNs, placement(kind, totalNs, lengthNs, (double) partNs, null));
        }
        long awakeNs = lengthNs - blockedNs;
        Placement moved = loose(Placement.Kind.NOT_AWAKE, (double) totalNs / awakeNs);
        return basis(totalNs, placement(kind, totalNs, awakeNs, (double) (partNs - blocksNs), moved));
    }

    /** Blocked time whose place is uncertain: anywhere in the last place with blocked time, if that is not full. */
    private @Nullable Placement loose(Placement.Kind kind, double ratio) {
        return placement(kind, filledNs[loosest], roomNs[loosest], loosePartNs * ratio, null);
    }

    private @Nullable Placement placement(
            Placement.Kind kind, long totalNs, long roomNs, double ofRoomNs, @Nullable Placement next) {
        boolean choice = totalNs > 0 && totalNs < roomNs;
        return choice ? new Placement(thread, kind, row, totalNs, roomNs, ofRoomNs, next) : next;
    }

    /** A time that fills its row is measured, because its place is certain. */
    private AmountBasis basis(long totalNs, @Nullable Placement placed) {
        return totalNs >= lengthNs ? AmountBasis.MEASURED : new AmountBasis(true, placed, 0);
    }
}
