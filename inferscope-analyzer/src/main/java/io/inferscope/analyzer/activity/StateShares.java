package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.Placement;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import org.jspecify.annotations.Nullable;

/**
 * Apportions a state row's counters to its parts. A counter says how long, not when: without more, each time is spread evenly over the row.
 *
 * <pre>
 *   state row    [ on a CPU 2 ms, blocked 8 ms      ]
 *   known wait   [ queue.get ........... ]
 *   blocked       BBBBBBBBBBBBBBBBBBBBBBB
 *   on a CPU                              RRRRRRRRR
 * </pre>
 *
 * Where hand-overs say when the thread waited, the blocked time lies in those waits first: in proportion to their parts when it does not fill
 * them, else throughout them, and what is left of it evenly over the rest of the row. On-CPU and runnable time share what it leaves of each
 * part, as their totals. Each is the difference of a cumulative function at the ends of the part, so that parts of one row sum to its totals.
 * How far a part may be off ({@link io.inferscope.analyzer.model.PlacementError}) takes the waits at their word: blocked time lies anywhere in
 * them, or, where it fills them, the rest of it anywhere outside; on-CPU and runnable time lie anywhere in what it leaves.
 */
final class StateShares {
    private final long lengthNs;
    private final long startNs;
    private final long onCpuNs;
    private final long runnableNs;
    private final long blockedNs;

    /** Null where no wait is known within the row, or nothing is left to place: all of the row is blocked, or none of it. */
    private final @Nullable KnownWaits waits;

    private final long waitedBeforeNs;
    private final long waitedNs;

    private final int thread;
    private final int row;

    private long partNs;
    private long waitsNs;
    private long runsNs;
    private long queuesNs;
    private long blocksNs;

    StateShares(Timeline timeline, int stateRow, @Nullable KnownWaits known) {
        thread = timeline.track(stateRow);
        row = stateRow;
        lengthNs = timeline.durationNs(stateRow);
        startNs = timeline.startNs(stateRow);
        onCpuNs = Math.max(0, Math.min(lengthNs, timeline.attribute(stateRow, Attribute.ON_CPU_NS)));
        runnableNs = Math.max(0, Math.min(lengthNs - onCpuNs, timeline.attribute(stateRow, Attribute.RUNNABLE_NS)));
        blockedNs = lengthNs - onCpuNs - runnableNs;
        if (known == null || blockedNs == 0 || blockedNs == lengthNs) {
            waitedBeforeNs = 0;
            waitedNs = 0;
            waits = null;
        } else {
            waitedBeforeNs = known.beforeNs(startNs);
            waitedNs = known.beforeNs(startNs + lengthNs) - waitedBeforeNs;
            waits = waitedNs == 0 ? null : known;
        }
    }

    /** Returns how far a part that begins at {@code fromNs} may reach: the thread is known to have waited in all of it or in none. */
    long endOfPartNs(long fromNs, long toNs) {
        return waits == null ? toNs : Math.min(toNs, waits.nextEdgeNs(fromNs));
    }

    /** Chooses the part that the other methods refer to. */
    void part(long fromNs, long toNs) {
        partNs = toNs - fromNs;
        if (waits == null) {
            spreadEvenly(fromNs - startNs);
            return;
        }
        long waitedToNs = waits.beforeNs(toNs) - waitedBeforeNs;
        long waitedFromNs = waits.beforeNs(fromNs) - waitedBeforeNs;
        long blockedToNs = blockedOfFirst(toNs - startNs, waitedToNs);
        long blockedFromNs = blockedOfFirst(fromNs - startNs, waitedFromNs);
        long awakeNs = lengthNs - blockedNs;
        blocksNs = blockedToNs - blockedFromNs;
        runsNs = ThreadStates.shareOfFirst(toNs - startNs - blockedToNs, onCpuNs, awakeNs)
                - ThreadStates.shareOfFirst(fromNs - startNs - blockedFromNs, onCpuNs, awakeNs);
        queuesNs = partNs - blocksNs - runsNs;
        waitsNs = waitedToNs - waitedFromNs;
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

    /** Returns the blocked time in the first {@code offsetNs} of the row, during {@code waitsNs} of which the thread waited. */
    private long blockedOfFirst(long offsetNs, long waitsNs) {
        return blockedNs <= waitedNs
                ? ThreadStates.shareOfFirst(waitsNs, blockedNs, waitedNs)
                : waitsNs + ThreadStates.shareOfFirst(offsetNs - waitsNs, blockedNs - waitedNs, lengthNs - waitedNs);
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

    Basis runs() {
        return awake(Placement.Kind.ON_CPU, onCpuNs);
    }

    Basis queues() {
        return awake(Placement.Kind.RUNNABLE, runnableNs);
    }

    Basis blocks() {
        return waits == null
                ? basis(blockedNs, placement(Placement.Kind.BLOCKED, blockedNs, lengthNs, (double) partNs, null))
                : basis(blockedNs, loose(Placement.Kind.BLOCKED, 1));
    }

    private Basis awake(Placement.Kind kind, long totalNs) {
        if (waits == null) {
            return basis(totalNs, placement(kind, totalNs, lengthNs, (double) partNs, null));
        }
        long awakeNs = lengthNs - blockedNs;
        Placement moved = loose(Placement.Kind.NOT_AWAKE, (double) totalNs / awakeNs);
        return basis(totalNs, placement(kind, totalNs, awakeNs, (double) (partNs - blocksNs), moved));
    }

    /** Blocked time that has a choice of place: within the waits, or without them where it fills them. */
    private @Nullable Placement loose(Placement.Kind kind, double ratio) {
        return blockedNs <= waitedNs
                ? placement(kind, blockedNs, waitedNs, waitsNs * ratio, null)
                : placement(kind, blockedNs - waitedNs, lengthNs - waitedNs, (partNs - waitsNs) * ratio, null);
    }

    private @Nullable Placement placement(
            Placement.Kind kind, long totalNs, long roomNs, double ofRoomNs, @Nullable Placement next) {
        boolean choice = totalNs > 0 && totalNs < roomNs;
        return choice ? new Placement(thread, kind, row, totalNs, roomNs, ofRoomNs, next) : next;
    }

    /** What fills its row is measured. */
    private Basis basis(long totalNs, @Nullable Placement placed) {
        return totalNs >= lengthNs ? Basis.MEASURED : new Basis(true, placed, 0);
    }
}
