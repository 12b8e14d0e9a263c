package io.inferscope.formats.common;

import io.inferscope.timeline.traceevent.EventTimes;
import io.inferscope.timeline.traceevent.FixedPoint;

/** Decimal amounts of time to integer nanoseconds without floating point, within the stamps that any format may have. */
public final class DecimalTime {
    /** Not a finite number, or beyond {@link #MAX_NS}. */
    public static final long INVALID = FixedPoint.INVALID;

    /** Beyond it a stamp is damage. */
    public static final long MAX_NS = EventTimes.MAX_STAMP_NS;

    private DecimalTime() {}

    /** Returns whether a time is a number and not beyond {@link #MAX_NS}, before or after zero. */
    public static boolean isStamp(long ns) {
        return ns >= -MAX_NS && ns <= MAX_NS;
    }

    /** Returns the ns that {@code text} says in units of 10^{@code power} ns, or {@link #INVALID}. */
    public static long ns(String text, int power) {
        long ns = FixedPoint.nanos(text, power);
        return isStamp(ns) ? ns : INVALID;
    }
}
