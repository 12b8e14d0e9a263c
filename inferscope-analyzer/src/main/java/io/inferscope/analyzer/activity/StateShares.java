package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.Placement;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
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
 * If hand-overs show when the thread waited, blocked time is put into these waits first, in proportion to their
 * lengths. If it fills them, the remainder is spread evenly over the rest of the row. On-CPU and runnable time share
 * the remaining time of each part in proportion to their totals. Each amount is the difference of a cumulative function
 * at the ends of the part, so the parts of a row sum to its totals. The error bound of a part ({@link
 * io.inferscope.analyzer.model.PlacementError}) assumes that the waits are true: blocked time lies anywhere inside them
 * or, if it fills them, its remainder anywhere outside; on-CPU and runnable time lie anywhere in the remaining time.
 */
final class StateShares {
    private final long lengthNs;
    private final long startNs;
    private final long onCpuNs;
    private final long runnableNs;
    private final long blockedNs;

    /**
     * Null if no wait is known within the row, or if all or none of the row is blocked, so there is nothing to place.
     */
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

    /**
     * Returns the latest end of a part that begins at {@code fromNs} and lies either inside a known wait or outside all
     * of them.
     */
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

    /** Blocked time whose place is uncertain: within the waits or, if it fills them, outside of them. */
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

    /** A time that fills its row is measured, because its place is certain. */
    private Basis basis(long totalNs, @Nullable Placement placed) {
        return totalNs >= lengthNs ? Basis.MEASURED : new Basis(true, placed, 0);
    }
}
