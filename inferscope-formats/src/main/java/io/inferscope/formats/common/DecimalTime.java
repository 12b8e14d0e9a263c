package io.inferscope.formats.common;

import io.inferscope.timeline.traceevent.EventTimes;
import io.inferscope.timeline.traceevent.FixedPoint;

/** Converts decimal times to integer nanoseconds without floating point, within the range of valid stamps. */
public final class DecimalTime {
    /** Not a finite number, or beyond {@link #MAX_NS}. */
    public static final long INVALID = FixedPoint.INVALID;

    /** Largest valid stamp. */
    public static final long MAX_NS = EventTimes.MAX_STAMP_NS;

    private DecimalTime() {}

    /** Returns whether a time is a number with an absolute value of at most {@link #MAX_NS}. */
    public static boolean isStamp(long ns) {
        return ns >= -MAX_NS && ns <= MAX_NS;
    }

    /** Returns {@code text}, in units of 10^{@code power} ns, in ns, or {@link #INVALID}. */
    public static long ns(String text, int power) {
        long ns = FixedPoint.nanos(text, power);
        return isStamp(ns) ? ns : INVALID;
    }
}
