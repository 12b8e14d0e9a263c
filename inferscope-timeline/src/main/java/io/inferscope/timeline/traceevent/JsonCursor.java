package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.traceevent.TextTable.Form;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Walks over JSON in a {@link ByteWindow}. This is the innermost loop of reading a trace: it makes no object, looks at
 * eight bytes at a time where texts are skipped, and stops by an exception without stack trace, so that no step has to
 * check the result of the last one. {@code lab/bench jmh TRACE scan} measures it.
 *
 * <p>It accepts the same input as Jackson with the oracle's settings: JSON and, in addition, NaN, infinities (as C
 * prints them, too), control characters and any escape in texts, and one comma before a closing bracket. At anything else the cursor stops with {@link Stop}:
 * either the window ends there, and scanning restarts with more bytes, or the document is damaged there.
 */
final class JsonCursor {
    /** The walk cannot go on at {@link JsonCursor#position}. */
    static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Stop() {
            super("", null, false, false);
        }
    }

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = ONES << 7;
    private static final long BLANKS = ONES * ' ';
    private static final long QUOTES = ONES * '"';
    private static final long BACKSLASHES = ONES * '\\';
    private static final long THREES = ONES * 0x30;
    private static final long SIXES = ONES * 6;
    private static final long HIGH_HALVES = 0xF0F0F0F0F0F0F0F0L;
    /** Deepest nesting; the slow path refuses deeper nesting with a clear error. */
    private static final int MAX_DEPTH = 196;
    /** Digits that always fit into a long. */
    private static final int SAFE_DIGITS = 18;

    private final Stop stop = new Stop();
    private byte[] bytes = new byte[0];
    private int limit;
    private int position;
    private boolean escaped;
    private boolean badText;
    private final boolean[] objects = new boolean[MAX_DEPTH];

    void reset(ByteWindow window, int newPosition) {
        bytes = window.bytes();
        limit = window.limit();
        position = newPosition;
        badText = false;
    }

    int position() {
        return position;
    }

    /** Returns whether an invalid UTF-8 text was skipped since the last reset. */
    boolean sawBadText() {
        return badText;
    }

    Stop stop() {
        return stop;
    }

    private Stop stopAt(int at) {
        position = at;
        return stop;
    }

    /** Stops if the last value ends at the end of the window: a number may continue after it. */
    void stopAtEnd() {
        if (position >= limit) {
            throw stop;
        }
    }

    /** Returns the next visible byte without passing it. */
    byte peek() {
        byte b = bytes[position];
        return b > ' ' ? b : peekAfterSpace(); // Small, so that the C1 compiler inlines it.
    }

    private byte peekAfterSpace() {
        int at = position;
        byte b = bytes[at];
        while (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
            at++;
            while (longAt(at) == BLANKS) { // Indentation: most bytes of a document that is laid out for people.
                at += 8;
            }
            b = bytes[at];
        }
        position = at;
        return b;
    }

    /** Passes bytes if they are next; {@code words} holds them, eight each, the first one lowest. */
    boolean pass(long[] words, int length) {
        int at = position;
        if (at + length > limit) {
            return false;
        }
        int whole = length >>> 3;
        for (int i = 0; i < whole; i++) {
            if (longAt(at + 8 * i) != words[i]) {
                return false;
            }
        }
        int rest = length & 7;
        if (rest > 0 && (longAt(at + 8 * whole) ^ words[whole]) << (64 - 8 * rest) != 0) {
            return false;
        }
        position = at + length;
        return true;
    }

    /** Passes bytes if they are next. Arrays.equals compares up to 64 bytes at once, compiled by C1, too. */
    boolean pass(byte[] expected) {
        int at = position;
        int end = at + expected.length;
        if (end > limit || !Arrays.equals(bytes, at, end, expected, 0, expected.length)) {
            return false;
        }
        position = end;
        return true;
    }

    /** Passes the visible byte that {@link #peek} returned. */
    void pass() {
        position++;
    }

    void expect(char visible) {
        if (peek() != visible) {
            throw stop;
        }
        passWithBlank();
    }

    /** Skips a byte and the one blank that most writers put after it, so that not every token needs to check for it. */
    private void passWithBlank() {
        int at = position + 1;
        position = bytes[at] == ' ' ? at + 1 : at;
    }

    /**
     * Skips the separator of members or elements.
     *
     * @return false if {@code close} was found instead, after at most one comma, and skipped
     */
    boolean next(char close) {
        byte b = peek();
        if (b == ',') {
            passWithBlank();
            if (peek() == close) {
                position++;
                return false;
            }
            return true;
        }
        if (b != close) {
            throw stop;
        }
        position++;
        return false;
    }

    /**
     * Skips an opening bracket and returns whether the list or object has content; if not, skips the closing bracket,
     * too.
     */
    boolean open(char close) {
        position++;
        return first(close);
    }

    /** Returns whether there is content behind an opening bracket; if not, skips the closing bracket. */
    boolean first(char close) {
        if (peek() == close) {
            position++;
            return false;
        }
        return true;
    }

    byte byteAt(int at) {
        return bytes[at];
    }

    byte[] bytes() {
        return bytes;
    }

    /** Returns eight bytes, the first one lowest. */
    long longAt(int at) {
        return (long) LONGS.get(bytes, at);
    }

    /** Returns the highest bit of each byte of {@code word} that is a quote. Exact up to the lowest quote. */
    static long quotesIn(long word) {
        long zeroed = word ^ QUOTES;
        return (zeroed - ONES) & ~zeroed & HIGHS;
    }

    /**
     * Returns the number of bytes below the lowest marked byte of {@code found}. The lowest set bit minus one has a set
     * bit in each of these bytes, and a multiplication sums them (Warren, Hacker's Delight, 5-1). This is faster than
     * counting trailing zeros if the compiler has no instruction for that.
     */
    private static int bytesBelowLowest(long found) {
        return (int) ((((found - 1) & ONES) * ONES) >>> 56) - 1;
    }

    /** Skips a text whose opening quote is at the position, and returns the position of its closing quote. */
    int text() {
        int at = position + 1;
        boolean ascii = true;
        escaped = false;
        while (true) {
            long word = longAt(at);
            long other = word ^ BACKSLASHES;
            long found = quotesIn(word) | ((other - ONES) & ~other & HIGHS);
            if (found == 0) {
                ascii &= (word & HIGHS) == 0;
                at += 8;
                if (at >= limit) {
                    throw stopAt(limit);
                }
                continue;
            }
            int before = bytesBelowLowest(found);
            ascii &= before == 0 || ((word << (64 - 8 * before)) & HIGHS) == 0;
            at += before;
            if (bytes[at] == '"') {
                break;
            }
            at = escape(at);
        }
        int from = position + 1;
        position = at + 1;
        if (!ascii && !RawText.isUtf8(bytes, from, at)) {
            badText = true;
        }
        return at;
    }

    /** Returns whether the last skipped text contains a backslash. */
    boolean wasEscaped() {
        return escaped;
    }

    private int escape(int at) {
        escaped = true;
        byte kind = bytes[at + 1];
        if (kind == 'u') {
            for (int i = at + 2; i < at + 6; i++) {
                if (i >= limit || !isHex(bytes[i])) {
                    throw stopAt(Math.min(i, limit));
                }
            }
            return at + 6;
        }
        if (kind <= 0) {
            throw stopAt(at + 1);
        }
        return at + 2; // Unescaped backslashes of paths are escapes that JSON does not have.
    }

    private static boolean isHex(byte b) {
        int lower = b | 0x20;
        return (b >= '0' && b <= '9') || (lower >= 'a' && lower <= 'f');
    }

    /** Passes any value. */
    void skip() {
        byte b = peek();
        if (b > '0' && b <= '9' && skipInteger()) {
            return; // Most values that are skipped.
        }
        if (b == '"') {
            text();
        } else if (b == '{' || b == '[') {
            skipNested();
        } else {
            scalar();
        }
    }

    /** Skips digits, the first of them not 0; does not move if the number has a fraction or an exponent. */
    private boolean skipInteger() {
        byte[] text = bytes;
        int at = position + 1;
        while (text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        byte next = text[at];
        if (next == '.' || next == 'e' || next == 'E') {
            return false;
        }
        position = at;
        return true;
    }

    private void skipNested() {
        int depth = 0;
        boolean object = bytes[position] == '{';
        boolean more = open(object ? '}' : ']');
        while (true) {
            if (more) {
                if (object) {
                    key();
                }
                byte b = peek();
                if (b == '{' || b == '[') {
                    if (depth == MAX_DEPTH) {
                        throw stop;
                    }
                    objects[depth++] = object;
                    object = b == '{';
                    more = open(object ? '}' : ']');
                    continue;
                }
                skip();
            } else if (depth == 0) {
                return;
            } else {
                object = objects[--depth];
            }
            more = next(object ? '}' : ']');
        }
    }

    /** Passes a member's name and the colon. */
    private void key() {
        if (peek() != '"') {
            throw stop;
        }
        text();
        expect(':');
    }

    /** Skips a number or a literal, and returns whether it is a number. */
    boolean scalar() {
        switch (bytes[position]) {
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> {
                if (bytes[position + 1] == 'a') {
                    literal("nan");
                    return true;
                }
                literal("null");
            }
            case 'i' -> {
                literal("inf");
                return true;
            }
            case 'N' -> {
                literal("NaN");
                return true;
            }
            case 'I' -> {
                literal("Infinity");
                return true;
            }
            default -> {
                number();
                return true;
            }
        }
        return false;
    }

    private void literal(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (bytes[position + i] != text.charAt(i)) {
                throw stopAt(position + i);
            }
        }
        position += text.length();
        if (Character.isJavaIdentifierPart(bytes[position] & 0xff) && bytes[position] != 0) {
            throw stop;
        }
    }

    /** Returns whether {@code text[at, at + 3)} is a number that is none, as C prints it. */
    static boolean isNonFinite(byte[] text, int at) {
        return text[at] == 'i'
                ? text[at + 1] == 'n' && text[at + 2] == 'f'
                : text[at] == 'n' && text[at + 1] == 'a' && text[at + 2] == 'n';
    }

    private void number() {
        int at = position;
        if (bytes[at] == '-') {
            at++;
            if (bytes[at] == 'I' || bytes[at] == 'i' || bytes[at] == 'n') {
                position = at;
                literal(bytes[at] == 'I' ? "Infinity" : bytes[at] == 'i' ? "inf" : "nan");
                return;
            }
        }
        int afterFirst = digits(at);
        if (bytes[at] == '0' && afterFirst > at + 1) {
            throw stopAt(at + 1);
        }
        at = afterFirst;
        if (bytes[at] == '.') {
            at = digits(at + 1);
        }
        if (bytes[at] == 'e' || bytes[at] == 'E') {
            at++;
            at = digits(bytes[at] == '+' || bytes[at] == '-' ? at + 1 : at);
        }
        position = at;
    }

    /** Skips one or more digits. */
    private int digits(int from) {
        byte[] b = bytes;
        int at = from;
        while (b[at] >= '0' && b[at] <= '9') {
            at++;
        }
        if (at == from) {
            throw stopAt(at);
        }
        return at;
    }

    /**
     * Skips a value in decimal microseconds and returns it in nanoseconds, {@link FixedPoint#INVALID} for any other
     * value.
     */
    long nanosFromMicros() {
        byte b = peek();
        if (b == '"') {
            int from = position + 1;
            int end = text();
            return FixedPoint.nanosFromMicros(bytes, from, end - from);
        }
        int from = position;
        int at = b == '-' ? from + 1 : from;
        int firstDigit = at;
        long value = 0;
        long word = longAt(at);
        while (isDigits(word)) {
            value = value * 100_000_000 + eightDigits(word);
            at += 8;
            word = longAt(at);
        }
        byte[] text = bytes;
        while (text[at] >= '0' && text[at] <= '9') {
            value = value * 10 + (text[at++] - '0');
        }
        int digits = at - firstDigit;
        boolean plain = digits > 0
                && digits <= FixedPoint.MAX_PLAIN_DIGITS
                && value <= FixedPoint.MAX_PLAIN_MICROS
                && (digits == 1 || bytes[firstDigit] != '0');
        int scale = 3;
        if (bytes[at] == '.') {
            int firstFraction = ++at;
            while (scale > 0 && text[at] >= '0' && text[at] <= '9') {
                value = value * 10 + (text[at++] - '0');
                scale--;
            }
            plain &= at > firstFraction;
        }
        byte next = bytes[at];
        if (!plain || (next >= '0' && next <= '9') || next == 'e' || next == 'E') {
            return unusualNanos(from);
        }
        position = at;
        value *= scale == 0 ? 1 : scale == 1 ? 10 : scale == 2 ? 100 : 1000;
        return b == '-' ? -value : value;
    }

    /** Returns whether all eight bytes are digits: their high halves are 3, even when 6 is added. */
    private static boolean isDigits(long word) {
        return ((word & (word + SIXES)) & HIGH_HALVES) == THREES;
    }

    /** Returns the number written in eight digits, by sums of pairs, of fours and of eight. */
    private static long eightDigits(long word) {
        long digits = word - THREES;
        long pairs = (digits * 10 + (digits >>> 8)) & 0x00FF00FF00FF00FFL;
        long fours = (pairs * 100 + (pairs >>> 16)) & 0x0000FFFF0000FFFFL;
        return (fours * 10_000 + (fours >>> 32)) & 0xFFFFFFFFL;
    }

    private long unusualNanos(int from) {
        byte b = bytes[from];
        if (b == '{' || b == '[') {
            skipNested();
            return FixedPoint.INVALID;
        }
        return scalar() ? FixedPoint.nanosFromMicros(bytes, from, position - from) : FixedPoint.INVALID;
    }

    /** Result of {@link #integer} for a value that is not an integer of at most 20 characters. */
    static final long NO_INTEGER = Long.MIN_VALUE;

    /** Skips an integer, written as a number or as text, and returns it; of a larger one, the low 64 bits. */
    long integer() {
        byte b = peek();
        int from = position;
        int at = b == '-' ? from + 1 : from;
        int firstDigit = at;
        long value = 0;
        byte[] text = bytes;
        while (text[at] >= '0' && text[at] <= '9') {
            value = value * 10 + (text[at++] - '0');
        }
        int digits = at - firstDigit;
        byte next = bytes[at];
        if (digits == 0
                || digits > SAFE_DIGITS
                || (digits > 1 && bytes[firstDigit] == '0')
                || next == '.'
                || next == 'e'
                || next == 'E') {
            return unusualInteger(b);
        }
        position = at;
        return b == '-' ? -value : value;
    }

    private long unusualInteger(byte first) {
        int from = position;
        if (first == '"') {
            int end = text();
            try {
                return Long.parseLong(RawText.of(bytes, from + 1, end, Form.QUOTED));
            } catch (NumberFormatException notANumber) {
                return NO_INTEGER;
            }
        }
        skip();
        try {
            String text = RawText.of(bytes, from, position, Form.BARE);
            return text.length() > 20 ? NO_INTEGER : new java.math.BigInteger(text).longValue();
        } catch (NumberFormatException notANumber) {
            return NO_INTEGER;
        }
    }
}
