package io.inferscope.timeline.traceevent;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One event of a Chrome Trace Event document, as the reader found it. Mutable and reused for every event, to avoid a
 * million objects for a million events: a reader fills it, and the sink copies what it needs before it returns.
 */
public final class TraceEvent {
    /** How many words of bits the arguments take. */
    public static final int ARG_WORDS = (Arg.values().length - 1) / Long.SIZE + 1;

    char phase;
    String category = "";
    String name = "";
    String pid = "";
    String tid = "";
    long tsNs;
    long durationNs;
    boolean hasDuration;
    long offsetBytes;

    private final long[] numbers = new long[Arg.values().length];
    private final @Nullable String[] texts = new String[Arg.values().length];
    private final StringBuilder series = new StringBuilder(); // Of one event, there may be thousands.

    /** A bit for each argument. */
    private final long[] presentArgs = new long[ARG_WORDS];

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
        Arrays.fill(presentArgs, 0);
    }

    /** Returns whether a phase is of an asynchronous range, whose events are connected by an id. */
    static boolean isAsync(char phase) {
        return phase == 'b' || phase == 'n' || phase == 'e';
    }

    /**
     * Returns whether the id of an event is read: those of asynchronous ranges, and of flows that alone connect launches
     * to device work: those of rocprof, of Intel's unitrace and of its OpenCL Intercept Layer. Other flows, which Kineto has
     * by the million, repeat correlation ids.
     */
    static boolean isIdRead(char phase, String category) {
        return isAsync(phase)
                || ((phase == 's' || phase == 't' || phase == 'f')
                        && (category.equals("DataFlow")
                                || category.startsWith("Flow_")
                                || category.equals("Commands")));
    }

    /** Returns the phase letter, 0 when there is none. */
    public char phase() {
        return phase;
    }

    /** Returns the category, empty when there is none. */
    public String category() {
        return category;
    }

    /** Returns the name, empty when there is none. */
    public String name() {
        return name;
    }

    /** Returns the process id as text, empty when there is none. */
    public String pid() {
        return pid;
    }

    /** Returns the thread id as text, empty when there is none. */
    public String tid() {
        return tid;
    }

    /** Returns the stamp in ns, or {@link FixedPoint#INVALID}. */
    public long tsNs() {
        return tsNs;
    }

    /** Returns whether the event has a member for the duration, whether or not it is a number. */
    public boolean hasDuration() {
        return hasDuration;
    }

    /** Returns the duration in ns, or {@link FixedPoint#INVALID}. */
    public long durationNs() {
        return durationNs;
    }

    /** Returns the byte offset in the inflated document where the event begins, -1 when not known. */
    public long offsetBytes() {
        return offsetBytes;
    }

    /** Returns whether the event has an argument. */
    public boolean has(Arg arg) {
        return (presentArgs[arg.ordinal() / Long.SIZE] & 1L << arg.ordinal()) != 0;
    }

    /** Returns a bit for each argument that the event has, of the 64 from {@code 64 * word} on. */
    public long presentArgs(int word) {
        return presentArgs[word];
    }

    void put(Arg arg, long value) {
        presentArgs[arg.ordinal() / Long.SIZE] |= 1L << arg.ordinal();
        numbers[arg.ordinal()] = value;
    }

    void put(Arg arg, String value) {
        if (arg == Arg.SERIES) {
            series.setLength(has(arg) ? series.length() : 0);
            series.append(has(arg) ? "\n" : "").append(value);
        }
        texts[arg.ordinal()] = value;
        presentArgs[arg.ordinal() / Long.SIZE] |= 1L << arg.ordinal();
    }

    /** Returns an integer argument, {@code otherwise} when absent. */
    public long number(Arg arg, long otherwise) {
        return has(arg) ? numbers[arg.ordinal()] : otherwise;
    }

    /** Returns a text argument, {@code otherwise} when absent. */
    public String text(Arg arg, String otherwise) {
        String text = arg == Arg.SERIES ? series.toString() : texts[arg.ordinal()];
        return has(arg) && text != null ? text : otherwise;
    }
}
