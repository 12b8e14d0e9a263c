package io.inferscope.timeline.kineto;

import org.jspecify.annotations.Nullable;

/**
 * One event of a Chrome Trace Event document, as the reader found it. Mutable and reused for every event: a reader fills it, the sink
 * copies what it needs before it returns. A million events would otherwise be a million objects.
 */
final class TraceEvent {
    char phase;
    String category = "";
    String name = "";
    String pid = "";
    String tid = "";
    /** Nanoseconds, or {@link FixedPoint#INVALID}. */
    long tsNs;
    /** Nanoseconds, or {@link FixedPoint#INVALID} when {@link #hasDuration} but no number. */
    long durationNs;

    boolean hasDuration;
    /** Byte offset where the event begins in the inflated document, -1 when not known. */
    long offsetBytes;

    private final long[] numbers = new long[Arg.values().length];
    private final @Nullable String[] texts = new String[Arg.values().length];
    private int presentArgs;

    void reset(long offset) {
        phase = 0;
        category = "";
        name = "";
        pid = "";
        tid = "";
        tsNs = FixedPoint.INVALID;
        durationNs = FixedPoint.INVALID;
        hasDuration = false;
        offsetBytes = offset;
        presentArgs = 0;
    }

    boolean has(Arg arg) {
        return (presentArgs & 1 << arg.ordinal()) != 0;
    }

    void put(Arg arg, long value) {
        presentArgs |= 1 << arg.ordinal();
        numbers[arg.ordinal()] = value;
    }

    void put(Arg arg, String value) {
        presentArgs |= 1 << arg.ordinal();
        texts[arg.ordinal()] = value;
    }

    /** Returns an integer argument, {@code otherwise} when absent. */
    long number(Arg arg, long otherwise) {
        return has(arg) ? numbers[arg.ordinal()] : otherwise;
    }

    /** Returns a text argument, {@code otherwise} when absent. */
    String text(Arg arg, String otherwise) {
        String text = texts[arg.ordinal()];
        return has(arg) && text != null ? text : otherwise;
    }
}
