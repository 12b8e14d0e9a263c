package io.inferscope.timeline.spool;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.cut.TimelineCut;
import java.util.Locale;

/**
 * The part of a run that was recorded. If the host's recorder was cut off, the recorders inside the program continue.
 * The time after that is left out: without thread states it cannot be explained.
 *
 * <pre>
 *   host    |SSSSSSSSSSSSSSS        cut off here
 *   probe   |  [======[====]==================]
 *   run     |  [======[====]]
 * </pre>
 */
final class RecordedPart {
    /** The end of a run that was not cut. */
    static final long WHOLE = Long.MAX_VALUE;

    /** A property of timelines: the time at which the host's recorder was cut off, in ns on the run's axis. */
    private static final String UNTIL = "inferscope.recorded_until_ns";

    private RecordedPart() {}

    /** Notes when the host's recorder was cut off, and how many events of other recorders are later. */
    static void mark(TimelineBuilder builder, long cutNs) {
        if (cutNs == WHOLE) {
            return;
        }
        long before = 0;
        long after = 0;
        long firstNs = cutNs;
        long lastNs = cutNs;
        for (int row = 0; row < builder.rowCount(); row++) {
            boolean late = builder.startNsAt(row) >= cutNs;
            before += late ? 0 : 1;
            after += late ? 1 : 0;
            firstNs = Math.min(firstNs, builder.startNsAt(row));
            lastNs = Math.max(lastNs, builder.endNsAt(row));
        }
        if (before == 0) {
            return;
        }
        builder.property(UNTIL, Long.toString(cutNs));
        String why = String.format(
                Locale.ROOT,
                "the recording was cut off %.2f s after its beginning; the later %.2f s of the recorders in the program are left out",
                (cutNs - firstNs) / 1e9,
                (lastNs - cutNs) / 1e9);
        builder.coverage(new Coverage("host", before, after, why));
    }

    /** Returns the recorded part of a run's timeline, on the run's axis: all of it if nothing was cut off. */
    static Timeline of(Timeline run) {
        String untilNs = run.properties().get(UNTIL);
        return untilNs == null ? run : TimelineCut.of(run, Long.MIN_VALUE / 4, Long.parseLong(untilNs));
    }
}
