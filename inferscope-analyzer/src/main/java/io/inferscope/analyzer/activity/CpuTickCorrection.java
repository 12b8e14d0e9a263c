package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;

/**
 * CPU time that the kernel counted in the state row after the one in which it was spent, or the other way round.
 *
 * <p>The count of a running thread is brought up to date at scheduler ticks, up to 10 ms apart. Where a thread runs at
 * the border of two rows, the recording assumes half a tick; recorded waits show by how much that was wrong:
 *
 * <pre>
 *   state rows       [ 9 ms on a CPU, 11 blocked ][ 7 on a CPU, 13 blocked ]
 *   recorded waits     |-------- 13 ---------|            |------ 11 ------|
 *   corrected        [ 7 ms on a CPU, 13 blocked ][ 9 on a CPU, 11 blocked ]
 * </pre>
 *
 * Time is moved only if both rows agree: one has more CPU time than its waits leave room for, the other has blocked
 * time outside its waits, and the thread did not wait in between.
 */
final class CpuTickCorrection {
    /** A kernel of 100 Hz has the longest tick (Linux, kernel/Kconfig.hz). */
    private static final long LONGEST_TICK_NS = 10_000_000;

    /** In a shorter recorded wait the thread may not have slept at all. */
    private static final long SURELY_ASLEEP_NS = 1_000_000;

    private CpuTickCorrection() {}

    /**
     * Returns the CPU time in ns that each of the thread's state rows spent beyond what was counted in it; the sum is
     * 0.
     */
    static long[] find(Timeline timeline, int[] states, Intervals recorded) {
        Intervals waits = recorded.atLeast(SURELY_ASLEEP_NS);
        long[] lateNs = new long[states.length];
        int from = 0; // The row whose time may be moved to the following ones.
        long surplusNs = 0; // CPU time of that row that lies in its waits, or if negative: blocked time outside them.
        for (int i = 0; i < states.length && !waits.isEmpty(); i++) {
            if (timeline.attribute(states[i], Attribute.ON_CPU_NS) == Attribute.ABSENT) {
                surplusNs = 0;
                continue;
            }
            long startNs = timeline.startNs(states[i]);
            if (i > 0
                    && (startNs > timeline.endNs(states[i - 1])
                            || waits.totalWithinNs(startNs - 1, startNs + 1) == 2)) {
                surplusNs = 0;
            }
            long waitedNs = waits.totalWithinNs(startNs, timeline.endNs(states[i]));
            long ownNs = surplusNs(timeline, states[i], waitedNs);
            if (ownNs == 0 && waitedNs == 0) {
                continue; // It worked all along. A wait would have brought the counts up to date.
            }
            if (surplusNs != 0 && ownNs != 0 && (surplusNs > 0) != (ownNs > 0)) {
                long movedNs = Math.min(Math.abs(surplusNs), Math.abs(ownNs));
                int giver = ownNs > 0 ? i : from;
                movedNs = Math.min(movedNs, cpuNs(timeline, states[giver]) + lateNs[giver]);
                long signedNs = ownNs > 0 ? -movedNs : movedNs;
                lateNs[i] += signedNs;
                lateNs[from] -= signedNs;
                ownNs += signedNs;
            }
            from = i;
            surplusNs = Math.max(-LONGEST_TICK_NS, Math.min(LONGEST_TICK_NS, ownNs));
        }
        return lateNs;
    }

    /** A recorded wait may end in waiting for a CPU. Only CPU time that this does not explain is a surplus. */
    private static long surplusNs(Timeline timeline, int stateRow, long waitedNs) {
        long lengthNs = timeline.durationNs(stateRow);
        long readyNs = Math.max(0, timeline.attribute(stateRow, Attribute.RUNNABLE_NS));
        long blockedNs = Math.max(0, lengthNs - cpuNs(timeline, stateRow) - readyNs);
        return waitedNs > blockedNs ? Math.max(0, waitedNs - blockedNs - readyNs) : waitedNs - blockedNs;
    }

    private static long cpuNs(Timeline timeline, int stateRow) {
        long ns = timeline.attribute(stateRow, Attribute.ON_CPU_NS);
        return Math.max(0, Math.min(timeline.durationNs(stateRow), ns));
    }
}
