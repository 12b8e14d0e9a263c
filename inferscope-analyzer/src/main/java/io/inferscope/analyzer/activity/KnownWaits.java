package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.function.IntPredicate;

/** When one thread waited, or may have waited, such as the union of its hand-overs, each from the begin of the wait to the return. */
final class KnownWaits {
    private KnownWaits() {}

    /** Returns the waits that were recorded: those for hand-overs, and those of event loops. */
    static Intervals recorded(Timeline timeline, int track) {
        return of(timeline, track, row -> timeline.kind(row) == RowKind.HAND_OVER || isLoops(timeline, row));
    }

    /** Returns whether a row is a wait of an event loop, whose line is that of the task which awaits. */
    static boolean isLoops(Timeline timeline, int row) {
        long activity = timeline.attribute(row, Attribute.ACTIVITY);
        return timeline.kind(row) == RowKind.ANNOTATION
                && (activity == RangeActivity.TIMER.ordinal() || activity == RangeActivity.AWAIT.ordinal());
    }

    /** Returns the union of the rows of a thread that are chosen. */
    static Intervals of(Timeline timeline, int track, IntPredicate chosen) {
        return timeline.times(timeline.rows(track).filter(chosen));
    }
}
