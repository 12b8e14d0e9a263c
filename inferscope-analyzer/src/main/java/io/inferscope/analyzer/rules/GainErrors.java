package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.LedgerClass;
import java.util.List;

/**
 * What a replay does not know. Where the figures come from: docs/gains.md.
 *
 * @param slower by how much the time that is left may turn out longer, as a part of it: what takes the cause's place
 * @param faster by how much what works of it may turn out shorter: what the cause slowed down beside itself
 * @param least how far a cause is off at least, measured or not, as a part of the stretch
 * @param estimate how far a cause known from samples and counters is off at most, as a part of the stretch
 */
record GainErrors(double slower, double faster, double least, double estimate) {
    /** Replays in the literature miss by 3.3 % (Lumos) to 14 % (dPRO). */
    static final GainErrors DEVICE_WORK = new GainErrors(0.05, 0.05, 0, 0.04);

    /** Work on a CPU leaves the rest colder caches at most. */
    static final GainErrors HOST_WORK = new GainErrors(0.05, 0.06, 0.02, 0.025);

    /** A thread that was blocked comes back to cold caches and a clock that is down. */
    private static final GainErrors BLOCKED = new GainErrors(0.01, 0.14, 0, 0.04);

    /** A thread without a CPU comes back to caches that others have filled. */
    private static final GainErrors QUEUED = new GainErrors(0.01, 0.18, 0, 0.04);

    /** Besides, each hand-over of a lock costs time on a CPU. */
    private static final GainErrors CONTENDED = new GainErrors(0.01, 0.23, 0, 0.04);

    /** What worked while the thread waited shared a core with it otherwise: two threads of one core do 1.26 times the work of one. */
    static final GainErrors WORKED_BESIDE = new GainErrors(0.01, 0.37, 0, 0.04);

    /** Returns how far an estimate with a bound may be off, in ns, in a stretch. */
    double estimateNs(long boundNs, long stretchNs) {
        return Math.max(least * stretchNs, Math.min((double) boundNs, estimate * stretchNs));
    }

    /** Returns the errors of taking classes out of a thread's time; with devices the rest is theirs for the greater part. */
    static GainErrors of(List<LedgerClass> classes, boolean devices) {
        if (devices) {
            return DEVICE_WORK;
        }
        boolean heldUp = !classes.isEmpty() && classes.stream().allMatch(GainErrors::holdsUp);
        if (!heldUp) {
            return HOST_WORK;
        }
        if (classes.contains(LedgerClass.WAIT_GIL) || classes.contains(LedgerClass.WAIT_LOCK)) {
            return CONTENDED;
        }
        return classes.contains(LedgerClass.WAIT_RUN_QUEUE) ? QUEUED : BLOCKED;
    }

    /** Returns whether a thread that waits so is let go by what no cache or clock of its own makes faster. */
    static boolean isEndedElsewhere(LedgerClass ledgerClass) {
        return switch (ledgerClass) {
            case WAIT_TIMER, WAIT_IO, WAIT_SOCKET, WAIT_CHILD_PROCESS, WAIT_UNKNOWN, WAIT_RUN_QUEUE -> true;
            default -> false;
        };
    }

    /** Garbage is collected on the CPU by the thread that waits for it. */
    private static boolean holdsUp(LedgerClass ledgerClass) {
        return ledgerClass.isWaiting() && ledgerClass != LedgerClass.WAIT_GC;
    }
}
