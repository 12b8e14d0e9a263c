package io.inferscope.timeline.traceevent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Recognises the next member of an object by all bytes from the end of the value before it up to its own value. One
 * program writes a trace, so these bytes hardly differ from event to event: a few words are compared, where space, key
 * and colon would have to be scanned. After each member, the two members that followed it last are tried.
 *
 * <pre>
 *   "cat": "kernel",\n    "name": "gemm"
 *                  ^^^^^^^^^^^^^^
 * </pre>
 *
 * <p>Recognised bytes were scanned once, so they mean the same again. {@code lab/bench jmh TRACE scan} measures it.
 */
final class MemberGuesses {
    /** Before the first member. */
    static final int START = 0;

    /** A member that was not learnt: nothing is known of what follows it. */
    private static final int UNKNOWN = 1;

    /** Members are numbered below this. */
    static final int MOST = 128;

    private static final int MOST_BYTES = 64;

    private final long[][] words = new long[MOST][];
    private final int[] lengths = new int[MOST];
    private final int[] keys = new int[MOST];

    /** By member: those that followed it, the last one first; {@link #START} for none. */
    private final int[] likely = new int[MOST];

    private final int[] other = new int[MOST];
    private int count = UNKNOWN + 1;

    /**
     * Lets a cursor pass space, key and colon of a member.
     *
     * @param last the member before it
     * @return the member, {@link #START} if none was recognised and the cursor did not move
     */
    int pass(JsonCursor cursor, int last) {
        int first = likely[last];
        if (first != START && cursor.pass(words[first], lengths[first])) {
            return first;
        }
        int second = other[last];
        if (second != START && cursor.pass(words[second], lengths[second])) {
            likely[last] = second;
            other[last] = first;
            return second;
        }
        return START;
    }

    /** Returns the key of a member, as it was learnt. */
    int key(int member) {
        return keys[member];
    }

    /** Learns that {@code bytes[from, to)}, which were scanned, lead to a key's value; returns the member. */
    int learn(int last, byte[] bytes, int from, int to, int key) {
        int member = find(bytes, from, to, key);
        if (last != UNKNOWN && member != UNKNOWN) {
            other[last] = likely[last];
            likely[last] = member;
        }
        return member;
    }

    private int find(byte[] bytes, int from, int to, int key) {
        int length = to - from;
        if (length > MOST_BYTES || !isPlain(bytes, from, to)) {
            return UNKNOWN;
        }
        long[] looked = new long[(length + 7) / 8];
        ByteBuffer.wrap(Arrays.copyOf(Arrays.copyOfRange(bytes, from, to), 8 * looked.length))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(looked);
        for (int member = UNKNOWN + 1; member < count; member++) {
            if (keys[member] == key && lengths[member] == length && Arrays.equals(words[member], looked)) {
                return member;
            }
        }
        if (count == MOST) {
            return UNKNOWN;
        }
        words[count] = looked;
        lengths[count] = length;
        keys[count] = key;
        return count++;
    }

    /** Returns whether no byte needs a second look: an escape, or a text that may not be UTF-8. */
    private static boolean isPlain(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] <= 0 || bytes[i] == '\\') {
                return false;
            }
        }
        return true;
    }
}
