package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;

/**
 * Checks stamps and durations of events, and counts unusable ones. Shared by all formats that consist of trace events.
 */
public final class EventTimes {
    /**
     * Largest valid stamp. Stamps beyond 2^62 ns (the year 2116 as Unix time) are damage; the sum of two valid ones
     * fits into a long.
     */
    public static final long MAX_STAMP_NS = 1L << 62;

    private EventTimes() {}

    /** Returns whether the event has a usable stamp. */
    public static boolean hasStamp(TraceEvent event, ImportStats.Builder stats) {
        if (event.tsNs() == FixedPoint.INVALID || event.tsNs() > MAX_STAMP_NS || event.tsNs() < -MAX_STAMP_NS) {
            stats.count(Reason.BAD_TIMESTAMP, event.offsetBytes(), event.name());
            return false;
        }
        return true;
    }

    /**
     * Returns whether the event has a usable stamp and a duration that is a number, such that stamp plus duration fit a
     * long. A duration below zero becomes zero.
     */
    public static boolean hasRange(TraceEvent event, ImportStats.Builder stats) {
        if (!hasStamp(event, stats)) {
            return false;
        }
        if (!event.hasDuration()) {
            stats.count(Reason.MISSING_DURATION, event.offsetBytes(), event.name());
        } else if (event.durationNs() < 0 && event.durationNs() != FixedPoint.INVALID) {
            stats.count(Reason.NEGATIVE_RANGE, event.offsetBytes(), event.name());
            event.durationNs = 0;
            return true;
        } else if (event.durationNs() == FixedPoint.INVALID || event.durationNs() > MAX_STAMP_NS) {
            stats.count(Reason.BAD_TIMESTAMP, event.offsetBytes(), event.name());
        } else {
            return true;
        }
        return false;
    }
}
