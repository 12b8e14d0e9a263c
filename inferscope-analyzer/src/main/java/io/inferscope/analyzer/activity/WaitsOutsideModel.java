package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a thread that computes a model on the CPU waits: outside the model's measured calls, if the thread's
 * states show that it does not wait inside them.
 *
 * <pre>
 *   measured     [ forward ]             [ forward ]
 *   state row    [ on a CPU 20 ms, blocked on file I/O 20 ms ]
 *   blocked                 BBBBBBBBBBBBB            BBBBBBBB
 * </pre>
 *
 * The test uses the state rows of the thread with such a reason ({@link Reason}) between the first call of the model
 * and the last one: a start-up without calls of the model tells nothing of the waits between them. A least-squares line
 * relates the share of a row that lies in the model to the share in which the thread was not blocked; it predicts the
 * latter for a row that lies wholly in the model. If the thread was awake for less of it than the reason demands, it
 * also waits inside the model. Then, and where no such row shows the opposite, nothing is placed.
 */
final class WaitsOutsideModel {
    /** Why a thread was blocked, as far as that tells where it may have been. */
    enum Reason {
        /**
         * A reason that operators seldom have: a file, a socket, a timer, a child process, a pipe, or a lock that was
         * recorded as one: a file lock, a Java monitor, or a lock whose holder is known.
         */
        OUTSIDE_PROGRAM(0.8, 0),

        /**
         * A futex, which may be a lock, a condition or a queue, or an unknown reason: the threads among which operators
         * divide their work wait so as well. So the thread must be awake for more of the model, and for clearly less of
         * the time around it.
         */
        ANOTHER_THREAD(0.9, 0.1);

        private final double leastAwake;
        private final double leastDifference;

        Reason(double leastAwake, double leastDifference) {
            this.leastAwake = leastAwake;
            this.leastDifference = leastDifference;
        }

        /** Returns the reason of a state row, null if it happens as often inside models. */
        static @Nullable Reason of(Timeline timeline, int stateRow) {
            return switch (WaitReason.of(timeline, stateRow)) {
                case FILE_IO, SOCKET, TIMER, CHILD_PROCESS, PIPE, LOCK -> OUTSIDE_PROGRAM;
                case UNKNOWN, FUTEX -> ANOTHER_THREAD;
                case DRIVER, PAGE_FAULT, GIL -> null;
            };
        }
    }

    /** With a smaller variance of the share in the model, the fit is meaningless. */
    private static final double LEAST_VARIANCE = 0.001;

    private WaitsOutsideModel() {}

    /**
     * Returns the time outside the model's calls; null where a thread has none of them, or waits inside them for that
     * reason.
     */
    static @Nullable Intervals find(Timeline timeline, int track, int[] states, Reason reason) {
        if (states.length == 0 || !timeline.has(Attribute.ACTIVITY)) {
            return null;
        }
        Intervals models = KnownWaits.of(timeline, track, row -> isModel(timeline, row));
        if (models.isEmpty() || waitsInside(timeline, models, states, reason)) {
            return null;
        }
        return models.complementWithin(timeline.startNs(states[0]), timeline.endNs(states[states.length - 1]));
    }

    private static boolean isModel(Timeline timeline, int row) {
        return timeline.kind(row) == RowKind.ANNOTATION
                && RangeActivity.of(timeline.attribute(row, Attribute.ACTIVITY)) == RangeActivity.MODEL;
    }

    private static boolean waitsInside(Timeline timeline, Intervals models, int[] states, Reason reason) {
        double n = 0;
        double x = 0;
        double y = 0;
        double xx = 0;
        double xy = 0;
        for (int row : states) {
            double lengthNs = timeline.durationNs(row);
            boolean serves = timeline.startNs(row) >= models.startNs(0)
                    && timeline.endNs(row) <= models.endNs(models.count() - 1);
            if (lengthNs <= 0 || !serves || Reason.of(timeline, row) != reason) {
                continue;
            }
            double inside = models.totalWithinNs(timeline.startNs(row), timeline.endNs(row)) / lengthNs;
            double awakeNs = (double) Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS))
                    + Math.max(0, timeline.attribute(row, Attribute.RUNNABLE_NS));
            double awake = Math.min(1, awakeNs / lengthNs);
            n += lengthNs;
            x += lengthNs * inside;
            y += lengthNs * awake;
            xx += lengthNs * inside * inside;
            xy += lengthNs * inside * awake;
        }
        if (n == 0) {
            return true; // No row lies among the calls, as with a single call shorter than a row.
        }
        double variance = xx / n - (x / n) * (x / n);
        if (variance < LEAST_VARIANCE) {
            // On a CPU or ready for one for less time than the model's calls took.
            return y < x * reason.leastAwake || reason.leastDifference > 0;
        }
        double slope = (xy / n - (x / n) * (y / n)) / variance;
        return y / n + slope * (1 - x / n) < reason.leastAwake || slope < reason.leastDifference;
    }
}
