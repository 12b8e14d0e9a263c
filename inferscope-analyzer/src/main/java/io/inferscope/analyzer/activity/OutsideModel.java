package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * Where a thread that computes a model on the CPU waits for what is outside the program: not inside the model's calls, which are measured,
 * unless its states say otherwise.
 *
 * <pre>
 *   measured     [ forward ]             [ forward ]
 *   state row    [ on a CPU 20 ms, blocked on file I/O 20 ms ]
 *   blocked                 BBBBBBBBBBBBB            BBBBBBBB
 * </pre>
 *
 * Whether that holds is read from all such rows of the thread: the line of least squares through the share of each row that lies in the model
 * and the share in which the thread was awake tells how much it would be awake in a row that is all model. Nothing is placed where that is
 * less than {@value #LEAST_AWAKE}. A wait for a futex, for the GIL or for memory happens inside a model as well: it stays spread.
 */
final class OutsideModel {
    private static final double LEAST_AWAKE = 0.8;

    /** With a smaller variance of the share in the model, the fit is meaningless. */
    private static final double LEAST_VARIANCE = 0.001;

    private OutsideModel() {}

    /** Returns the time outside the model's calls; null where a thread has none of them, or waits inside them. */
    static @Nullable KnownWaits find(Timeline timeline, int track, int[] states) {
        if (states.length == 0 || !timeline.has(Attribute.ACTIVITY)) {
            return null;
        }
        KnownWaits models = KnownWaits.of(timeline, track, row -> isModel(timeline, row));
        if (models.isEmpty() || waitsInside(timeline, models, states)) {
            return null;
        }
        return models.complement(timeline.startNs(states[0]), timeline.endNs(states[states.length - 1]));
    }

    private static boolean isModel(Timeline timeline, int row) {
        return timeline.kind(row) == RowKind.ANNOTATION
                && Activity.of(timeline.attribute(row, Attribute.ACTIVITY)) == Activity.MODEL;
    }

    /** Returns whether a state row is a wait for something outside the program. */
    static boolean isForOutside(Timeline timeline, int stateRow) {
        return switch (WaitReason.of(timeline.attribute(stateRow, Attribute.WAIT_REASON))) {
            case FILE_IO, SOCKET, TIMER, CHILD_PROCESS, PIPE, LOCK -> true;
            case UNKNOWN, FUTEX, DRIVER, PAGE_FAULT, GIL -> false;
        };
    }

    private static boolean waitsInside(Timeline timeline, KnownWaits models, int[] states) {
        double n = 0;
        double x = 0;
        double y = 0;
        double xx = 0;
        double xy = 0;
        for (int row : states) {
            double lengthNs = timeline.durationNs(row);
            if (lengthNs <= 0 || !isForOutside(timeline, row)) {
                continue;
            }
            double inside = (models.beforeNs(timeline.endNs(row)) - models.beforeNs(timeline.startNs(row))) / lengthNs;
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
            return false;
        }
        double variance = xx / n - (x / n) * (x / n);
        if (variance < LEAST_VARIANCE) {
            return y < x * LEAST_AWAKE; // Awake for less than the model took.
        }
        double slope = (xy / n - (x / n) * (y / n)) / variance;
        return y / n + slope * (1 - x / n) < LEAST_AWAKE;
    }
}
