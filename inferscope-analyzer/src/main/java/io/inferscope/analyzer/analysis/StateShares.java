package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Basis;
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
 * The bounds of a part take the waits at their word, and what lies outside them as unknown in place.
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

    private long partNs;
    private long leastBlockedNs;
    private long mostBlockedNs;
    private long runsNs;
    private long queuesNs;
    private long blocksNs;

    StateShares(Timeline timeline, int stateRow, @Nullable KnownWaits known) {
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

    /** Chooses the part that the other methods speak of. */
    void part(long fromNs, long toNs) {
        partNs = toNs - fromNs;
        if (waits == null) {
            spreadEvenly(fromNs - startNs);
            bound(0);
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
        bound(waitedToNs - waitedFromNs);
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

    /** Returns the blocked time in the first {@code offsetNs} of the row, in {@code waitsNs} of which the thread waited. */
    private long blockedOfFirst(long offsetNs, long waitsNs) {
        return blockedNs <= waitedNs
                ? ThreadStates.shareOfFirst(waitsNs, blockedNs, waitedNs)
                : waitsNs + ThreadStates.shareOfFirst(offsetNs - waitsNs, blockedNs - waitedNs, lengthNs - waitedNs);
    }

    /** Blocked time that has a choice of place may all lie outside the part, or all inside. */
    private void bound(long waitsNs) {
        long elsewhereNs = waitedNs - waitsNs;
        if (blockedNs <= waitedNs) {
            leastBlockedNs = Math.max(0, blockedNs - elsewhereNs);
            mostBlockedNs = Math.min(blockedNs, waitsNs);
        } else {
            long looseNs = blockedNs - waitedNs;
            leastBlockedNs = waitsNs + Math.max(0, looseNs - (lengthNs - partNs - elsewhereNs));
            mostBlockedNs = waitsNs + Math.min(looseNs, partNs - waitsNs);
        }
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
        return awake(onCpuNs);
    }

    Basis queues() {
        return awake(runnableNs);
    }

    Basis blocks() {
        return between(leastBlockedNs, mostBlockedNs, blockedNs);
    }

    /** On-CPU and runnable time lie anywhere in what blocked time leaves. */
    private Basis awake(long totalNs) {
        long mostOutsideNs = lengthNs - blockedNs - (partNs - mostBlockedNs);
        long leastNs = Math.max(0, totalNs - mostOutsideNs);
        return between(leastNs, Math.min(totalNs, partNs - leastBlockedNs), totalNs);
    }

    /** What fills its row is measured. */
    private Basis between(long leastNs, long mostNs, long totalNs) {
        return totalNs >= lengthNs ? Basis.MEASURED : new Basis(true, (mostNs - leastNs + 1) / 2, 0);
    }
}
