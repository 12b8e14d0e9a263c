package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import java.util.Arrays;

/**
 * Some hundred events in columns, on their way from the thread that scans to the thread that builds. Texts are ids of
 * the scanner's {@link TextTable}. An event is written in place and counts once {@link #commit} is called.
 */
final class EventBatch {
    private static final int EVENTS = 1024;

    /** Bits of {@link #oddities}. */
    static final int BAD_TEXT = 1;

    static final int NOT_AN_EVENT = 2;

    private static final String[] FIELDS = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"};

    private static final Arg[] ARGS = Arg.values();

    final long[] offsets = new long[EVENTS];
    final char[] phases = new char[EVENTS];
    final int[] categories = new int[EVENTS];
    final int[] names = new int[EVENTS];
    final int[] pids = new int[EVENTS];
    final int[] tids = new int[EVENTS];
    final long[] stamps = new long[EVENTS];
    final long[] durations = new long[EVENTS];
    final boolean[] hasDurations = new boolean[EVENTS];
    final int[] oddities = new int[EVENTS];
    private final int[] duplicates = new int[EVENTS];
    private final int[] firstDuplicates = new int[EVENTS];
    private final int[] argEnds = new int[EVENTS];
    private long[] values = new long[EVENTS * 4];
    private byte[] valueArgs = new byte[EVENTS * 4];
    private int valueCount;
    private String[] texts = new String[0];
    private int size;

    void clear() {
        size = 0;
        valueCount = 0;
    }

    boolean isFull() {
        return size == EVENTS;
    }

    /** Starts an event over and returns the row to write it in. */
    int begin(long offset, int emptyText) {
        int row = size;
        valueCount = row == 0 ? 0 : argEnds[row - 1];
        offsets[row] = offset;
        phases[row] = 0;
        categories[row] = emptyText;
        names[row] = emptyText;
        pids[row] = emptyText;
        tids[row] = emptyText;
        stamps[row] = FixedPoint.INVALID;
        durations[row] = FixedPoint.INVALID;
        hasDurations[row] = false;
        oddities[row] = 0;
        duplicates[row] = 0;
        return row;
    }

    /** Adds an argument to the event: an integer, or a text id. The last one of a name counts. */
    void put(Arg arg, long value) {
        reserve(1);
        values[valueCount] = value;
        valueArgs[valueCount++] = (byte) arg.ordinal();
    }

    /** Adds what a chunk of the event says. */
    void put(EventChunk chunk) {
        int row = size;
        int fields = chunk.fields;
        if ((fields & 1) != 0) {
            phases[row] = chunk.phase;
        }
        if ((fields & 2) != 0) {
            categories[row] = chunk.category;
        }
        if ((fields & 4) != 0) {
            names[row] = chunk.name;
        }
        if ((fields & 8) != 0) {
            pids[row] = chunk.pid;
        }
        if ((fields & 16) != 0) {
            tids[row] = chunk.tid;
        }
        int argCount = chunk.argCount;
        if (argCount > 0) {
            reserve(argCount);
            for (int i = 0; i < argCount; i++) {
                values[valueCount] = chunk.values[i];
                valueArgs[valueCount++] = chunk.args[i];
            }
        }
    }

    private void reserve(int more) {
        if (valueCount + more > values.length) {
            int capacity = Math.max(valueCount + more, values.length * 2);
            values = Arrays.copyOf(values, capacity);
            valueArgs = Arrays.copyOf(valueArgs, capacity);
        }
    }

    boolean has(Arg arg) {
        for (int value = size == 0 ? 0 : argEnds[size - 1]; value < valueCount; value++) {
            if (valueArgs[value] == arg.ordinal()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Notes a duplicate member of the event in {@code row}; {@code field} is its bit, in the order of {@link #FIELDS}.
     */
    void duplicate(int row, int field) {
        if (duplicates[row]++ == 0) {
            firstDuplicates[row] = Integer.numberOfTrailingZeros(field);
        }
    }

    /** Ends the event, which then is part of the batch. */
    void commit() {
        argEnds[size++] = valueCount;
    }

    /** Stores the texts of the ids; called by the scanning thread before it passes the batch to another thread. */
    void texts(TextTable table) {
        texts = table.texts();
    }

    /** Passes the events one by one, as {@code event}, and counts oddities. */
    void deliver(TraceEvent event, TraceEventReader.Sink sink, ImportStats.Builder stats) {
        int value = 0;
        for (int row = 0; row < size; row++) {
            stats.event();
            if ((oddities[row] | duplicates[row]) != 0) {
                count(row, stats);
            }
            if ((oddities[row] & NOT_AN_EVENT) == 0) {
                event.reset(offsets[row]);
                event.phase = phases[row];
                event.category = texts[categories[row]];
                event.name = texts[names[row]];
                event.pid = texts[pids[row]];
                event.tid = texts[tids[row]];
                event.tsNs = stamps[row];
                event.durationNs = durations[row];
                event.hasDuration = hasDurations[row];
                for (; value < argEnds[row]; value++) {
                    Arg arg = ARGS[valueArgs[value]];
                    if (arg.isText()) {
                        event.put(arg, texts[(int) values[value]]);
                    } else {
                        event.put(arg, values[value]);
                    }
                }
                sink.event(event);
            }
            value = argEnds[row];
        }
    }

    private void count(int row, ImportStats.Builder stats) {
        stats.count(Reason.DUPLICATE_KEY, duplicates[row], offsets[row], FIELDS[firstDuplicates[row]]);
        if ((oddities[row] & BAD_TEXT) != 0) {
            stats.count(Reason.BAD_TEXT, offsets[row], texts[names[row]]);
        }
        if ((oddities[row] & NOT_AN_EVENT) != 0) {
            stats.count(Reason.NOT_AN_EVENT, offsets[row], "");
        }
    }
}
