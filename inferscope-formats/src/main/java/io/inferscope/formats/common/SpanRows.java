package io.inferscope.formats.common;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import java.util.Arrays;

/** Turns records with a start and an end into rows, and counts those with invalid stamps. */
public final class SpanRows {
    private final TimelineBuilder builder;
    private int[] open = new int[16];
    private int openCount;
    private long lastStampNs = Long.MIN_VALUE;

    public SpanRows(TimelineBuilder builder) {
        this.builder = builder;
    }

    /** Counts one record, and returns whether a row can be made of it; if not, counts the reason under {@code what}. */
    public boolean usable(long startNs, long endNs, String what) {
        builder.stats().event();
        if (!DecimalTime.isStamp(startNs) || !DecimalTime.isStamp(endNs)) {
            builder.stats().count(Reason.BAD_TIMESTAMP, -1, what);
            return false;
        }
        if (endNs < startNs) {
            builder.stats().count(Reason.NEGATIVE_SPAN, -1, what);
            return false;
        }
        lastStampNs = Math.max(lastStampNs, endNs);
        return true;
    }

    /** Adds a row without an end, which is closed at the last stamp. */
    public void leaveOpen(int row) {
        if (openCount == open.length) {
            open = Arrays.copyOf(open, openCount * 2);
        }
        open[openCount++] = row;
    }

    /** Closes the rows left open. */
    public void closeOpen() {
        for (int i = 0; i < openCount; i++) {
            builder.end(open[i], lastStampNs);
        }
        builder.stats().count(Reason.UNCLOSED_BEGIN, openCount, -1, "");
    }
}
