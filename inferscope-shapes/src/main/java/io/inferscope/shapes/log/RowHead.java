package io.inferscope.shapes.log;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The beginning of a row in the member order that recorders of such logs use: the members that differ from call to call
 * come first.
 *
 * <pre>
 *   {"call_id": 7, "forward_pass": 3, "operation": "aten.mm.default", "op_count": 2, "inputs": {...}, "outputs": {...}}
 *    numbers                          [ name              )           number         [ tail                            )
 * </pre>
 *
 * Rows with the same name and tail differ only in their numbers. A row with another beginning is valid, too, and is
 * parsed as ordinary JSON.
 */
final class RowHead {
    private static final byte[] CALL_ID = ascii("call_id");
    private static final byte[] FORWARD_PASS = ascii("forward_pass");
    private static final byte[] OPERATION_COUNT = ascii("op_count");
    private static final byte[] OPERATION = ascii("operation");
    /** Digits that always fit into a long. */
    private static final int SAFE_DIGITS = 18;

    private byte[] bytes = new byte[0];
    private int at;
    private int to;
    private final RowNumbers numbers = new RowNumbers();
    private int nameFrom;
    private int nameTo;
    private int tail;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads {@code line[from, end)}. Returns false when the row does not begin in this order. */
    boolean scan(byte[] line, int from, int end) {
        bytes = line;
        at = from;
        to = end;
        numbers.clear();
        nameFrom = 0;
        nameTo = 0;
        if (!pass('{')) {
            return false;
        }
        boolean more = true;
        while (more) {
            skipSpace();
            int key = at;
            int keyEnd = text();
            if (keyEnd < 0 || !pass(':')) {
                return false;
            }
            if (!isKnown(key + 1, keyEnd)) {
                tail = key;
                return true;
            }
            more = value(key + 1, keyEnd) && pass(',');
        }
        return false;
    }

    private boolean isKnown(int from, int end) {
        return is(CALL_ID, from, end)
                || is(FORWARD_PASS, from, end)
                || is(OPERATION_COUNT, from, end)
                || is(OPERATION, from, end);
    }

    private boolean is(byte[] word, int from, int end) {
        return end - from == word.length && Arrays.equals(bytes, from, end, word, 0, word.length);
    }

    private boolean value(int from, int end) {
        skipSpace();
        if (is(OPERATION, from, end)) {
            nameFrom = at + 1;
            nameTo = text();
            return nameTo >= 0;
        }
        long number = number();
        if (is(CALL_ID, from, end)) {
            numbers.callId = number;
        } else if (is(FORWARD_PASS, from, end)) {
            numbers.forwardPass = number;
        } else {
            numbers.operationCount = number;
        }
        return number >= 0;
    }

    private void skipSpace() {
        while (at < to && (bytes[at] == ' ' || bytes[at] == '\t')) {
            at++;
        }
    }

    private boolean pass(char sign) {
        skipSpace();
        return at < to && bytes[at++] == sign;
    }

    /** Skips a text without escapes. Returns where its closing quote is, -1 for anything else. */
    private int text() {
        if (at >= to || bytes[at] != '"') {
            return -1;
        }
        for (int i = at + 1; i < to; i++) {
            byte b = bytes[i];
            if (b == '"') {
                at = i + 1;
                return i;
            }
            if (b == '\\' || b < ' ') {
                return -1;
            }
        }
        return -1;
    }

    /** Reads a whole number and moves behind it; returns -1 for anything else. */
    private long number() {
        int first = at;
        long value = 0;
        while (at < to && bytes[at] >= '0' && bytes[at] <= '9') {
            value = value * 10 + (bytes[at++] - '0');
        }
        int digits = at - first;
        boolean plain = digits == 1 || (digits > 1 && digits <= SAFE_DIGITS && bytes[first] != '0');
        return plain ? value : -1;
    }

    RowNumbers numbers() {
        return numbers;
    }

    int nameFrom() {
        return nameFrom;
    }

    int nameTo() {
        return nameTo;
    }

    /**
     * Returns the offset of the tail, which begins with the name of the first member that is not a number or the
     * operator.
     */
    int tail() {
        return tail;
    }
}
