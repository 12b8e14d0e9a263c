package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.traceevent.JsonCursor.Stop;
import io.inferscope.timeline.traceevent.TextTable.Form;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Scans the elements of an event list into {@link EventBatch}es. An event is scanned in place in the window; if the
 * window ends inside it, it is scanned again from its start with more bytes. Hot: {@code lab/bench jmh TRACE scan}.
 *
 * <p>Not thread-safe; a document may be scanned by several scanners, each with a part of it.
 */
final class EventScanner {
    /** Why a scan ended. */
    enum End {
        /** The batch is full. */
        FULL,
        /** The next element begins at or after the end of the range to scan. */
        REACHED,
        /** The list ended; the window's position is after its bracket. */
        CLOSED,
        /** The bytes after the last element are damaged, cut, or too large for the window. */
        ODD
    }

    // Member names of four letters or less, as the integer that their bytes are.
    private static final int PH = 'p' | ('h' << 8);
    private static final int TS = 't' | ('s' << 8);
    private static final int SF = 's' | ('f' << 8);
    private static final int CAT = 'c' | ('a' << 8) | ('t' << 16);
    private static final int ID = 'i' | ('d' << 8);
    private static final int ID2 = 'i' | ('d' << 8) | ('2' << 16);
    private static final int PID = 'p' | ('i' << 8) | ('d' << 16);
    private static final int TID = 't' | ('i' << 8) | ('d' << 16);
    private static final int DUR = 'd' | ('u' << 8) | ('r' << 16);
    private static final int NAME = 'n' | ('a' << 8) | ('m' << 16) | ('e' << 24);
    private static final int ARGS = 'a' | ('r' << 8) | ('g' << 16) | ('s' << 24);

    private static final Arg[] ARGS_BY_NUMBER = Arg.values();
    private static final EventChunk START = new EventChunk();

    private static final int QUOTED_X = '"' | ('X' << 8) | ('"' << 16);

    private final ByteWindow window;
    private final JsonCursor cursor = new JsonCursor();
    private final TextTable texts;
    private final int emptyText;
    private final MemberGuesses fields = new MemberGuesses();
    private final MemberGuesses arguments = new MemberGuesses();
    private final EventChunks chunks = new EventChunks();
    /** Position in the window of the next element, or of the separator before it. */
    private int at;
    /**
     * Begin and end of the current event's id, 0 for none. Kept unread, because flow events, which are ignored, have
     * ids, too.
     */
    private int idFrom;

    private int idEnd;

    /** Bits of the members that the current event had so far. */
    private int seen;

    private boolean inArgs;

    /** Whether {@link #at} is before the list's first element. */
    private boolean first;

    /**
     * Makes a scanner.
     *
     * @param sharedTexts the texts of all scanners of a document
     */
    EventScanner(ByteWindow window, ConcurrentMap<String, String> sharedTexts) {
        this.window = window;
        texts = new TextTable(sharedTexts);
        emptyText = texts.intern(new byte[8], 0, 0, Form.QUOTED);
    }

    /** Continues at {@code window.bytes[position]}, before the first element of the list or after another one. */
    void start(int position, boolean beforeFirst) {
        at = position;
        first = beforeFirst;
    }

    ByteWindow window() {
        return window;
    }

    /** Returns the position in the window after the last element, or after the list. */
    int position() {
        return at;
    }

    /** Returns the document offset of the element at which a scan ended with {@link End#REACHED}. */
    long nextOffset() {
        return window.baseBytes() + cursor.position();
    }

    boolean isBeforeFirst() {
        return first;
    }

    /** Scans elements that begin before byte {@code until} of the document into a batch, which is cleared first. */
    End scan(EventBatch batch, long until) throws IOException {
        batch.clear();
        End end = null;
        while (end == null) {
            cursor.reset(window, at);
            try {
                end = elements(batch, until);
            } catch (Stop stop) {
                if (!more()) {
                    end = End.ODD;
                }
            }
        }
        batch.texts(texts);
        return end;
    }

    /** Reads more bytes if the cursor stopped at the end of the window. */
    private boolean more() throws IOException {
        if (cursor.position() + ByteWindow.PADDING <= window.limit()) {
            return false;
        }
        boolean more = window.more(at);
        at = 0;
        return more;
    }

    private @Nullable End elements(EventBatch batch, long until) {
        while (!batch.isFull()) {
            if (first ? cursor.peek() == ']' : !cursor.next(']')) {
                at = cursor.position() + (first ? 1 : 0);
                return End.CLOSED;
            }
            byte opening = cursor.peek();
            long offset = window.baseBytes() + cursor.position();
            if (offset >= until) {
                return End.REACHED;
            }
            int row = batch.begin(offset, emptyText);
            if (opening == '{') {
                event(batch, row);
            } else {
                cursor.skip();
                cursor.stopAtEnd();
                batch.oddities[row] |= EventBatch.NOT_AN_EVENT;
            }
            if (cursor.sawBadText()) {
                batch.oddities[row] |= EventBatch.BAD_TEXT;
                cursor.reset(window, cursor.position());
            }
            batch.commit();
            at = cursor.position();
            first = false;
        }
        return End.FULL;
    }

    private void event(EventBatch batch, int row) {
        idEnd = 0;
        seen = 0;
        cursor.pass();
        chunks.startEvent();
        EventChunk chunk = START;
        int begin = EventChunk.AT_START;
        while (true) {
            EventChunk known = chunks.pass(cursor, begin, seen, batch.phases[row]);
            if (known == null) {
                chunk = scan(batch, row, chunks.open(cursor, begin, chunk));
            } else {
                chunk = known;
                batch.put(chunk);
                seen |= chunk.fields;
            }
            if (chunk.next == EventChunk.END) {
                break;
            }
            begin = value(batch, row, chunk.next);
        }
        if (idEnd > 0 && TraceEvent.isIdRead(batch.phases[row], texts.texts()[batch.categories[row]])) {
            batch.put(Arg.ASYNC_ID, texts.intern(cursor.bytes(), idFrom, idEnd, Form.NESTED));
        }
    }

    /** Scans the value after a chunk and returns where the next one begins. */
    private int value(EventBatch batch, int row, int what) {
        switch (what) {
            case EventChunk.STAMP -> {
                batch.stamps[row] = cursor.nanosFromMicros();
                see(batch, row, 32);
                return EventChunk.IN_EVENT;
            }
            case EventChunk.DURATION -> {
                batch.durations[row] = cursor.nanosFromMicros();
                batch.hasDurations[row] = true;
                see(batch, row, 64);
                return EventChunk.IN_EVENT;
            }
            case EventChunk.ID -> {
                idFrom = cursor.position();
                cursor.skip();
                idEnd = cursor.position();
                return EventChunk.IN_EVENT;
            }
            case EventChunk.UNREAD -> {
                cursor.skip();
                return EventChunk.IN_ARGS;
            }
            default -> {
                long value = cursor.integer();
                if (value != JsonCursor.NO_INTEGER) {
                    batch.put(ARGS_BY_NUMBER[what], value);
                }
                return EventChunk.IN_ARGS;
            }
        }
    }

    private boolean see(EventBatch batch, int row, int field) {
        boolean again = (seen & field) != 0;
        if (again) {
            batch.duplicate(row, field);
        }
        seen |= field;
        return again;
    }

    /** Scans and learns a chunk that was not recognised. */
    private EventChunk scan(EventBatch batch, int row, EventChunk open) {
        inArgs = open.begin == EventChunk.IN_ARGS;
        int next = EventChunk.NOTHING_YET;
        while (next == EventChunk.NOTHING_YET) {
            next = inArgs ? arguments(batch, row, open) : members(batch, row, open);
        }
        return chunks.close(cursor, next);
    }

    /** Scans members of the event up to its arguments, or up to what ends the chunk, which is returned. */
    private int members(EventBatch batch, int row, EventChunk open) {
        while (true) {
            int from = cursor.position();
            int known = fields.pass(cursor, open.field);
            int key;
            if (known == MemberGuesses.START) {
                if (open.field == MemberGuesses.START ? !cursor.first('}') : !cursor.next('}')) {
                    return EventChunk.END;
                }
                key = shortKey();
                known = fields.learn(open.field, cursor.bytes(), from, cursor.position(), key);
            } else {
                key = fields.key(known);
            }
            open.field = known;
            byte b = cursor.peek();
            switch (key) {
                case TS -> {
                    return EventChunk.STAMP;
                }
                case DUR -> {
                    return EventChunk.DURATION;
                }
                case ID, ID2 -> {
                    return EventChunk.ID;
                }
                case ARGS -> {
                    field(batch, row, open, 128);
                    if (b == '{') {
                        cursor.pass();
                        open.argument = MemberGuesses.START;
                        inArgs = true;
                        return EventChunk.NOTHING_YET;
                    }
                    cursor.skip();
                }
                case SF -> put(batch, open, Arg.STACK_FRAME, textValue());
                default -> field(batch, row, open, text(batch, row, open, key));
            }
        }
    }

    /** Notes a member of the open chunk by its bit, 0 for one that is not read. */
    private void field(EventBatch batch, int row, EventChunk open, int field) {
        open.fields |= field;
        if (see(batch, row, field)) {
            chunks.notLearnable();
        }
    }

    private void put(EventBatch batch, EventChunk open, Arg arg, int text) {
        batch.put(arg, text);
        open.put(arg, text);
    }

    /** Scans the value of one member and returns its bit, 0 for a member that is not read. */
    private int text(EventBatch batch, int row, EventChunk open, int key) {
        switch (key) {
            case PH -> {
                open.phase = phase();
                batch.phases[row] = open.phase;
                return 1;
            }
            case CAT -> {
                open.category = textValue();
                batch.categories[row] = open.category;
                return 2;
            }
            case NAME -> {
                open.name = textValue();
                batch.names[row] = open.name;
                return 4;
            }
            case PID -> {
                open.pid = textValue();
                batch.pids[row] = open.pid;
                return 8;
            }
            case TID -> {
                open.tid = textValue();
                batch.tids[row] = open.tid;
                return 16;
            }
            default -> {
                cursor.skip();
                return 0;
            }
        }
    }

    /** Skips a member's name and the colon, and returns the name if it has at most four letters, otherwise 0. */
    private int shortKey() {
        if (cursor.peek() != '"') {
            throw cursor.stop();
        }
        int from = cursor.position() + 1;
        int end = cursor.text();
        int key = 0;
        if (cursor.wasEscaped()) {
            byte[] plain = RawText.of(cursor.bytes(), from, end, Form.QUOTED).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < plain.length && plain.length <= 4; i++) {
                key |= (plain[i] & 0xff) << (8 * i);
            }
        } else if (end - from <= 4 && end > from && cursor.byteAt(end - 1) != 0) {
            key = (int) cursor.longAt(from) & (-1 >>> (32 - 8 * (end - from)));
        }
        cursor.expect(':');
        return key;
    }

    private char phase() {
        cursor.peek();
        if (((int) cursor.longAt(cursor.position()) & 0xffffff) == QUOTED_X) {
            cursor.text();
            return 'X';
        }
        String text = texts.texts()[textValue()];
        return text.isEmpty() ? 0 : text.charAt(0);
    }

    /** Skips a value and returns the id of its text; for null, an array or an object, the id of the empty text. */
    private int textValue() {
        byte b = cursor.peek();
        int from = cursor.position();
        if (b == '"') {
            int end = cursor.text();
            return texts.intern(cursor.bytes(), from + 1, end, Form.QUOTED);
        }
        cursor.skip();
        return b == '{' || b == '[' ? emptyText : texts.intern(cursor.bytes(), from, cursor.position(), Form.BARE);
    }

    /** Scans arguments up to the last one, or up to what ends the chunk, which is returned. */
    private int arguments(EventBatch batch, int row, EventChunk open) {
        while (true) {
            int from = cursor.position();
            int known = arguments.pass(cursor, open.argument);
            int key;
            if (known == MemberGuesses.START) {
                if (open.argument == MemberGuesses.START ? !cursor.first('}') : !cursor.next('}')) {
                    inArgs = false;
                    return EventChunk.NOTHING_YET;
                }
                key = argument();
                known = arguments.learn(open.argument, cursor.bytes(), from, cursor.position(), key);
            } else {
                key = arguments.key(known);
            }
            open.argument = known;
            byte b = cursor.peek();
            if (key >= 0) {
                Arg arg = ARGS_BY_NUMBER[key];
                if (!arg.isText()) {
                    return key;
                }
                put(batch, open, arg, argText());
            } else if (b == '{' || b == '[') {
                cursor.skip();
            } else if (batch.phases[row] == 'C') {
                chunks.notLearnable();
                sample(batch, from);
            } else if (b == '"') {
                open.isOtherInCounters = true;
                cursor.skip();
            } else {
                open.isOtherInCounters = true;
                if (chunks.varies(known)) {
                    return EventChunk.UNREAD;
                }
                chunks.unread(cursor.position(), known);
                cursor.skip();
            }
        }
    }

    /** Skips an argument's name and the colon, and returns its number, -1 for one that is not read. */
    private int argument() {
        if (cursor.peek() != '"') {
            throw cursor.stop();
        }
        int from = cursor.position() + 1;
        int end = cursor.text();
        Arg arg = cursor.wasEscaped()
                ? Arg.of(RawText.of(cursor.bytes(), from, end, Form.QUOTED))
                : ArgTable.of(cursor.bytes(), from, end);
        cursor.expect(':');
        return arg == null ? -1 : arg.ordinal();
    }

    /**
     * Skips a value of a counter event that is not read by name; its member begins at {@code memberFrom}. The first
     * number is the sample, and all are series.
     */
    private void sample(EventBatch batch, int memberFrom) {
        int from = cursor.position();
        byte[] bytes = cursor.bytes();
        boolean quoted = bytes[from] == '"';
        int end = quoted ? cursor.text() : from;
        boolean number = quoted
                ? FixedPoint.nanosFromMicros(bytes, from + 1, end - from - 1) != FixedPoint.INVALID
                : cursor.scalar();
        if (number && (!batch.has(Arg.VALUE) || batch.has(Arg.SERIES))) {
            int value = quoted
                    ? texts.intern(bytes, from + 1, end, Form.QUOTED)
                    : texts.intern(bytes, from, cursor.position(), Form.BARE);
            if (!batch.has(Arg.VALUE)) {
                batch.put(Arg.VALUE, value);
            }
            int nameEnd = from - 1;
            while (bytes[nameEnd] != '"') {
                nameEnd--;
            }
            int nameFrom = memberFrom;
            while (bytes[nameFrom] != '"') {
                nameFrom++;
            }
            batch.put(Arg.SERIES, texts.intern(bytes, nameFrom + 1, nameEnd, Form.QUOTED));
            batch.put(Arg.SERIES, value);
        }
    }

    private int argText() {
        byte b = cursor.peek();
        if (b != '{' && b != '[') {
            return textValue();
        }
        int from = cursor.position();
        cursor.skip();
        return texts.intern(cursor.bytes(), from, cursor.position(), Form.NESTED);
    }
}
