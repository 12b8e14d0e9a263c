package io.inferscope.collectors.host;

import java.util.Arrays;

/**
 * One thread's switches since its last reading, as recorded by the kernel, which divide the time up to the next
 * reading.
 *
 * <pre>
 *   switches     on     off(blocked)  on   off(preempted) on
 *   time      ----[======]..............[==]------------[=====|reading
 *   pieces         on CPU   off CPU     on   runnable     (the reading's own)
 * </pre>
 *
 * Records may come twice (a thread's event was both opened and inherited) or be lost: a record that changes nothing is
 * skipped.
 */
final class SwitchLog {
    /** Shorter pieces are joined with the next one. */
    private static final long SHORTEST_NS = 200_000L;

    /** Most pieces between two readings, besides one per 2 ms: more frequent switches are recorded less finely. */
    private static final int MAX_PIECES = 16;

    private static final long PIECE_NS = 2_000_000L;

    private static final int MAX_KEPT = 1 << 14;
    private static final int ON = 0;
    private static final int BLOCKED = 1;
    private static final int PREEMPTED = 2;
    private static final int UNKNOWN = 3;

    private long[] switches = new long[16]; // time << 2 | kind
    private int count;
    private int state = UNKNOWN;
    private long stateNs;

    interface Pieces {
        /**
         * Receives a piece that ends at {@code endNs} with its times on a CPU and runnable; {@code on}: whether the
         * thread is on a CPU after it.
         */
        void piece(long endNs, long onCpuNs, long runnableNs, boolean on);
    }

    /**
     * Adds a switch. They are in order of time, except for moves between CPUs. Returns false when there are too many to
     * keep.
     */
    boolean add(long timeNs, boolean on, boolean preempted) {
        if (count == MAX_KEPT) {
            return false;
        }
        if (count == switches.length) {
            switches = Arrays.copyOf(switches, 2 * count);
        }
        long added = timeNs << 2 | (on ? ON : preempted ? PREEMPTED : BLOCKED);
        int at = count++;
        for (; at > 0 && switches[at - 1] > added; at--) {
            switches[at] = switches[at - 1];
        }
        switches[at] = added;
        return true;
    }

    /**
     * Divides the time between two readings, passes the pieces, and drops their switches. The time after the last piece
     * is left to the reading itself.
     *
     * @param fromNs the reading before
     * @param untilNs how far all CPUs' records are known
     * @param runnableNs what the kernel counted as runnable since the reading before
     */
    void cut(long fromNs, long untilNs, long runnableNs, Pieces pieces) {
        int known = count;
        while (known > 0 && switches[known - 1] >> 2 > untilNs) {
            known--;
        }
        long shortestNs = SHORTEST_NS;
        while (pieces(known, fromNs, shortestNs) > MAX_PIECES + (untilNs - fromNs) / PIECE_NS) {
            shortestNs *= 2;
        }
        long wakeUpNs = wakeUpNs(known, fromNs, runnableNs);
        long beganNs = fromNs;
        long onNs = 0;
        long waitedNs = 0;
        for (int i = 0; i < known; i++) {
            long timeNs = switches[i] >> 2;
            int next = (int) switches[i] & 3;
            if (timeNs > fromNs && !isSame(next)) {
                long lengthNs = timeNs - Math.max(stateNs, fromNs);
                onNs += state == ON ? lengthNs : 0;
                waitedNs += state == PREEMPTED ? lengthNs : state == BLOCKED ? Math.min(lengthNs, wakeUpNs) : 0;
                if (timeNs - beganNs >= shortestNs) {
                    pieces.piece(timeNs, onNs, waitedNs, next == ON);
                    beganNs = timeNs;
                    onNs = 0;
                    waitedNs = 0;
                }
            }
            follow(timeNs, next);
        }
        System.arraycopy(switches, known, switches, 0, count - known);
        count -= known;
    }

    /** Returns whether there are no switches to cut by. */
    boolean isEmpty() {
        return count == 0;
    }

    private boolean isSame(int next) {
        return next == state || (next != ON && state != ON && state != UNKNOWN);
    }

    private void follow(long timeNs, int next) {
        if (!isSame(next)) {
            state = next;
            stateNs = timeNs;
        }
    }

    private int pieces(int known, long fromNs, long shortestNs) {
        long beganNs = fromNs;
        int found = 0;
        for (int i = 0; i < known; i++) {
            long timeNs = switches[i] >> 2;
            if (timeNs - beganNs >= shortestNs) {
                found++;
                beganNs = timeNs;
            }
        }
        return found;
    }

    /** The runnable time that preemption does not explain: the time between waking up and running. */
    private long wakeUpNs(int known, long fromNs, long runnableNs) {
        long leftNs = runnableNs;
        int wakeUps = 0;
        int before = state;
        long beforeNs = Math.max(stateNs, fromNs);
        for (int i = 0; i < known; i++) {
            int next = (int) switches[i] & 3;
            if (next == ON && before == PREEMPTED) {
                leftNs -= (switches[i] >> 2) - beforeNs;
            } else if (next == ON && before == BLOCKED) {
                wakeUps++;
            }
            before = next;
            beforeNs = Math.max(switches[i] >> 2, fromNs);
        }
        return wakeUps == 0 ? 0 : Math.max(0, leftNs) / wakeUps;
    }
}
