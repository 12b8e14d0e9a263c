package io.inferscope.collectors.procfs;

import java.nio.charset.StandardCharsets;

/** Reads numbers out of {@code /proc} files without making strings. */
public final class ProcText {
    private ProcText() {}

    /** Returns the {@code index}-th blank-separated number from {@code from} on; 0 when there is none. */
    public static long number(byte[] text, int from, int length, int index) {
        int i = from;
        for (int skipped = 0; ; skipped++) {
            while (i < length && text[i] <= ' ') {
                i++;
            }
            if (skipped == index) {
                break;
            }
            while (i < length && text[i] > ' ') {
                i++;
            }
            if (i >= length) {
                return 0;
            }
        }
        long value = 0;
        while (i < length && text[i] >= '0' && text[i] <= '9') {
            value = value * 10 + (text[i++] - '0');
        }
        return value;
    }

    /**
     * Returns the {@code index}-th blank-separated word as a hexadecimal number with prefix {@code 0x}; -1 if it is not
     * one.
     */
    public static long hexadecimal(byte[] text, int length, int index) {
        int i = 0;
        for (int blanks = 0; i < length && blanks < index; i++) {
            blanks += text[i] == ' ' ? 1 : 0;
        }
        if (i + 2 >= length || text[i] != '0' || text[i + 1] != 'x') {
            return -1;
        }
        long value = 0;
        for (i += 2; i < length && text[i] > ' '; i++) {
            int letter = text[i];
            int digit = letter <= '9' ? letter - '0' : (letter | 0x20) - 'a' + 10;
            if (digit < 0 || digit > 15 || (letter > '9' && digit < 10)) {
                break;
            }
            value = value << 4 | digit;
        }
        return value;
    }

    /**
     * Returns the index after {@code ") "} of a {@code stat} file: its state letter. The name before it may contain any
     * characters.
     */
    public static int stateIndex(byte[] stat, int length) {
        int i = length - 1;
        while (i >= 0 && stat[i] != ')') {
            i--;
        }
        return Math.min(i + 2, Math.max(0, length - 1));
    }

    /** Returns the name in a {@code stat} file. */
    static String name(byte[] stat, int length) {
        int open = 0;
        while (open < length && stat[open] != '(') {
            open++;
        }
        int close = stateIndex(stat, length) - 2;
        return close <= open ? "" : new String(stat, open + 1, close - open - 1, StandardCharsets.UTF_8);
    }
}
