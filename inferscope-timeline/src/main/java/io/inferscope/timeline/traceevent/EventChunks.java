package io.inferscope.timeline.traceevent;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Recognises {@link EventChunk}s by comparing bytes. Loops repeat events, which then differ in stamps, durations and ids
 * only. Two guesses are tried: the chunks that last followed the event's first chunk at this place; for the first
 * chunk, those that last followed the first chunk of the event before. Where such a guess was wrong, the events before
 * decide in future. A chunk that was not recognised is scanned and thereby learnt.
 *
 * <p>What a chunk means depends only on its bytes, on where it begins and on whether the event is a counter's; all of
 * these are checked, so a recognised chunk means what it meant when it was scanned. {@code lab/bench jmh TRACE scan}
 * measures it.
 */
final class EventChunks {
    private static final int MOST = 1 << 13;
    private static final int MOST_BYTES = 1 << 20;
    private static final int LONGEST_BYTES = 1 << 13;
    private static final int SLOTS = 2 * MOST;
    private static final int CONTEXT_BITS = 14;

    /** Bits by which older events move out of a context of 32 bits. */
    private static final int SHIFT = 3;

    /** An unread number that made so many chunks differ ends chunks from then on. */
    private static final int MOST_DIFFERENCES = 32;

    private static final int FIRST_PAUSE_EVENTS = 1 << 12;
    private static final int LONGEST_PAUSE_EVENTS = 1 << 24;

    private final EventChunk open = new EventChunk();

    /** The learnt chunks by their hashes, open addressing with linear probing. */
    private final @Nullable EventChunk[] slots = new EventChunk[SLOTS];

    /** The chunks that followed contexts in which the guesses were wrong, and these contexts. */
    private final @Nullable EventChunk[] exceptions = new EventChunk[1 << CONTEXT_BITS];

    private final int[] contexts = new int[1 << CONTEXT_BITS];

    /** Mixes the first chunks of the last ten events or so. */
    private int context;

    /** The event's first chunk; before it is known, that of the event before. */
    private EventChunk first = EventChunk.beginning();

    /** The number of chunks of the event so far. */
    private int step;

    private int count;
    private int byteCount;
    private int recognised;

    /** Events during which nothing is learnt, because the chunks that were learnt last hardly recurred. */
    private int pauseEvents;

    private int nextPauseEvents = FIRST_PAUSE_EVENTS;

    private int openFrom;
    private boolean unlearnable;

    /** The unread numbers in the open chunk: where they begin, and their members. */
    private final int[] numberFroms = new int[64];

    private final int[] numberMembers = new int[64];
    private int numbers;
    private final int[] differences = new int[MemberGuesses.MOST];

    void startEvent() {
        step = 0;
        if (pauseEvents > 0) {
            pauseEvents--;
        }
    }

    /** Lets a cursor pass the next chunk; returns null if none was recognised and the cursor did not move. */
    @Nullable
    EventChunk pass(JsonCursor cursor, int begin, int seen, char phase) {
        if (step >= EventChunk.MOST_STEPS) {
            return null;
        }
        int slot = slot();
        boolean exceptional = contexts[slot] == context;
        EventChunk chunk = exceptional ? exceptions[slot] : first.likely[step];
        if (chunk != null && isNext(chunk, cursor, begin, seen, phase)) {
            advance(chunk);
            return chunk;
        }
        chunk = exceptional ? first.likely[step] : null;
        if (chunk == null || !isNext(chunk, cursor, begin, seen, phase)) {
            chunk = first.other[step];
            if (chunk == null || !isNext(chunk, cursor, begin, seen, phase)) {
                return null;
            }
        }
        expect(chunk);
        advance(chunk);
        return chunk;
    }

    private static boolean isNext(EventChunk chunk, JsonCursor cursor, int begin, int seen, char phase) {
        return chunk.begin == begin
                && (chunk.fields & seen) == 0
                && (phase != 'C' || !chunk.isOtherInCounters)
                && cursor.pass(chunk.bytes);
    }

    private int slot() {
        return ((context + step * 0x85EBCA6B) * 0x9E3779B1) >>> (32 - CONTEXT_BITS);
    }

    /** Expects a chunk, which was not the first guess, here the next time. */
    private void expect(EventChunk chunk) {
        if (step >= EventChunk.MOST_STEPS) {
            return;
        }
        int slot = slot();
        if (first.likely[step] != chunk) {
            first.other[step] = first.likely[step];
            first.likely[step] = chunk;
            contexts[slot] = context;
        }
        if (contexts[slot] == context) {
            exceptions[slot] = chunk;
        }
    }

    private void advance(EventChunk chunk) {
        if (step == 0) {
            first = chunk;
            context = (context << SHIFT) ^ (chunk.number * 0x2545F491);
        }
        step++;
        recognised++;
    }

    /** Starts the chunk that is scanned from the cursor's position on. */
    EventChunk open(JsonCursor cursor, int begin, EventChunk last) {
        open.open(begin, last);
        openFrom = cursor.position();
        unlearnable = false;
        numbers = 0;
        return open;
    }

    /** Notes that the bytes of the open chunk do not determine what it means. */
    void notLearnable() {
        unlearnable = true;
    }

    /** Notes an unread number in the open chunk. */
    void unread(int from, int member) {
        if (numbers < numberFroms.length) {
            numberFroms[numbers] = from;
            numberMembers[numbers++] = member;
        }
    }

    /** Returns whether the number of an argument differs so often that chunks end before it. */
    boolean varies(int member) {
        return differences[member] >= MOST_DIFFERENCES;
    }

    /** Ends the open chunk before a value of a kind, and learns it. */
    EventChunk close(JsonCursor cursor, int next) {
        open.next = next;
        int length = cursor.position() - openFrom;
        if (unlearnable || pauseEvents > 0 || length > LONGEST_BYTES || cursor.sawBadText()) {
            if (step == 0) {
                first = EventChunk.beginning();
            }
            step++;
            return open;
        }
        noteDifference(cursor.bytes(), cursor.position());
        EventChunk chunk = learn(cursor.bytes(), openFrom, length);
        expect(chunk);
        advance(chunk);
        recognised--;
        return chunk;
    }

    /** Blames the unread number in which the open chunk differs from the expected one. */
    private void noteDifference(byte[] bytes, int to) {
        EventChunk expected = step < EventChunk.MOST_STEPS ? first.likely[step] : null;
        if (expected == null || numbers == 0) {
            return;
        }
        int difference = openFrom + Arrays.mismatch(bytes, openFrom, to, expected.bytes, 0, expected.bytes.length);
        int number = numbers - 1;
        while (number >= 0 && numberFroms[number] > difference) {
            number--;
        }
        if (number < 0) {
            return;
        }
        for (int at = numberFroms[number]; at < difference; at++) {
            if (bytes[at] == ',' || bytes[at] <= ' ') {
                return; // The number is the same and ends before the difference.
            }
        }
        differences[numberMembers[number]]++;
    }

    private EventChunk learn(byte[] bytes, int from, int length) {
        int hash = TextTable.hash(bytes, from, from + length) + open.begin;
        EventChunk known = slots[free(hash, bytes, from, length)];
        if (known != null) {
            return known;
        }
        if (count == MOST || byteCount + length > MOST_BYTES) {
            forget();
        }
        EventChunk chunk = open.learnt(Arrays.copyOfRange(bytes, from, from + length), hash, ++count);
        byteCount += length;
        if (chunk.begin == EventChunk.AT_START) {
            chunk.expectAsAfter(first);
        }
        slots[free(hash, bytes, from, length)] = chunk;
        return chunk;
    }

    /** Returns the slot of the chunk that is the open one, or the free slot for it. */
    private int free(int hash, byte[] bytes, int from, int length) {
        int slot = hash & (SLOTS - 1);
        EventChunk chunk = slots[slot];
        while (chunk != null
                && !(chunk.hash == hash
                        && chunk.begin == open.begin
                        && chunk.next == open.next
                        && Arrays.equals(bytes, from, from + length, chunk.bytes, 0, chunk.bytes.length))) {
            slot = (slot + 1) & (SLOTS - 1);
            chunk = slots[slot];
        }
        return slot;
    }

    /** Forgets all chunks, so that those of a later part of the document can be learnt. */
    private void forget() {
        if (recognised < 2 * count) {
            pauseEvents = nextPauseEvents;
            nextPauseEvents = Math.min(2 * nextPauseEvents, LONGEST_PAUSE_EVENTS);
        }
        Arrays.fill(slots, null);
        Arrays.fill(exceptions, null);
        first = EventChunk.beginning();
        count = 0;
        byteCount = 0;
        recognised = 0;
    }
}
