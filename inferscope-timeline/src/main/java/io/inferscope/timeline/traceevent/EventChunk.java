package io.inferscope.timeline.traceevent;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an event between two values that differ from event to event, and what these bytes mean:
 *
 * <pre>
 *   {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 17.5, "dur": 2, "args": {"device": 0, "correlation": 4}}
 *    |----------------------------------------------|  |-----------| |---------------------------------| ||
 *          phase, category, name; a stamp follows    a duration follows    device; the id follows      the end
 * </pre>
 *
 * <p>An open chunk is being scanned and changes; a learnt one does not, but for what is expected after it. Not
 * thread-safe.
 */
final class EventChunk {
    // Where a chunk begins.
    static final int AT_START = 0;
    static final int IN_EVENT = 1;
    static final int IN_ARGS = 2;

    // What follows a chunk: the number of the argument whose value follows, or one of these.
    static final int NOTHING_YET = -1;
    static final int END = -2;
    static final int STAMP = -3;
    static final int DURATION = -4;
    static final int ID = -5;
    /** The value of an argument that is not read. */
    static final int UNREAD = -6;

    /** The chunks of an event that can be recognised; further ones are scanned. */
    static final int MOST_STEPS = 8;

    private static final byte[] NO_BYTES = {};
    private static final long[] NO_VALUES = {};
    private static final @Nullable EventChunk[] NO_CHUNKS = {};

    byte[] bytes = NO_BYTES;
    int hash;

    /** Tells learnt chunks apart. */
    int number;

    int begin;
    int next;

    /** The bits of the members that the chunk holds, as in {@link EventBatch#duplicate}. */
    int fields;

    char phase;
    int category;
    int name;
    int pid;
    int tid;
    byte[] args = new byte[8];
    long[] values = new long[8];
    int argCount;

    /** Whether the bytes mean something else in a counter event, whose first number is its sample. */
    boolean isOtherInCounters;

    /** The last member and the last argument, in terms of {@link MemberGuesses}. */
    int field;

    int argument;

    /**
     * In the first chunk of an event, by place in the event: the chunks that followed last, and the ones before them.
     * At 0, the first chunk of the next event.
     */
    @Nullable
    EventChunk[] likely = NO_CHUNKS;

    @Nullable
    EventChunk[] other = NO_CHUNKS;

    /** Returns a chunk before the first event. */
    static EventChunk beginning() {
        EventChunk chunk = new EventChunk();
        chunk.expectAsAfter(chunk);
        return chunk;
    }

    /** Empties this chunk, which continues the event after another chunk. */
    void open(int newBegin, EventChunk last) {
        begin = newBegin;
        field = last.field;
        argument = last.argument;
        next = NOTHING_YET;
        fields = 0;
        argCount = 0;
        isOtherInCounters = false;
    }

    void put(Arg arg, long value) {
        if (argCount == args.length) {
            args = Arrays.copyOf(args, 2 * argCount);
            values = Arrays.copyOf(values, 2 * argCount);
        }
        args[argCount] = (byte) arg.ordinal();
        values[argCount++] = value;
    }

    /** Expects the same as after another chunk. */
    void expectAsAfter(EventChunk first) {
        likely = Arrays.copyOf(first.likely, MOST_STEPS);
        other = Arrays.copyOf(first.other, MOST_STEPS);
    }

    /** Returns a copy of this open chunk with its bytes. */
    EventChunk learnt(byte[] itsBytes, int itsHash, int itsNumber) {
        EventChunk copy = new EventChunk();
        copy.bytes = itsBytes;
        copy.hash = itsHash;
        copy.number = itsNumber;
        copy.begin = begin;
        copy.next = next;
        copy.fields = fields;
        copy.phase = phase;
        copy.category = category;
        copy.name = name;
        copy.pid = pid;
        copy.tid = tid;
        copy.args = argCount == 0 ? NO_BYTES : Arrays.copyOf(args, argCount);
        copy.values = argCount == 0 ? NO_VALUES : Arrays.copyOf(values, argCount);
        copy.argCount = argCount;
        copy.isOtherInCounters = isOtherInCounters;
        copy.field = field;
        copy.argument = argument;
        return copy;
    }
}
