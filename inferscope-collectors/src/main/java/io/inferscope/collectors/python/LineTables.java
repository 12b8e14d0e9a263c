package io.inferscope.collectors.python;

import java.util.Arrays;

/**
 * Decodes the line tables of code objects into a line per instruction (a code unit of 2 bytes); 0 where an instruction
 * belongs to no line. Formats: Objects/lnotab_notes.txt of 3.9 and of 3.10, Objects/locations.md of 3.11 and later.
 */
final class LineTables {
    private static final int MAX_UNITS = 1 << 20;
    private static final int NO_LINE_DELTA = -128;

    private static final int SHORT_CODES = 10; // 0 to 9: same line, columns follow
    private static final int ONE_LINE_CODES = 13; // 10 to 12: 0 to 2 lines on
    private static final int NO_LOCATION = 15;

    private int[] lines = new int[256];
    private int count;

    private LineTables() {}

    /** Decodes the table of a code object of CPython 3.{@code minor} that begins at {@code firstLine}. */
    static int[] decode(int minor, byte[] table, int firstLine) {
        LineTables tables = new LineTables();
        if (minor == 9) {
            tables.lnotab(table, firstLine);
        } else if (minor == 10) {
            tables.deltas(table, firstLine);
        } else {
            tables.locations(table, firstLine);
        }
        return Arrays.copyOf(tables.lines, tables.count);
    }

    private void lnotab(byte[] table, int firstLine) {
        int line = firstLine;
        for (int at = 0; at + 1 < table.length; at += 2) {
            fill((table[at] & 0xff) / 2, line);
            line += table[at + 1];
        }
        fill(1, line); // The remaining instructions belong to the last line.
    }

    private void deltas(byte[] table, int firstLine) {
        int line = firstLine;
        for (int at = 0; at + 1 < table.length; at += 2) {
            boolean none = table[at + 1] == NO_LINE_DELTA;
            line += none ? 0 : table[at + 1];
            fill((table[at] & 0xff) / 2, none ? 0 : line);
        }
    }

    private void locations(byte[] table, int firstLine) {
        int line = firstLine;
        for (int at = 0; at < table.length; ) {
            int code = table[at] >> 3 & 15;
            int units = (table[at] & 7) + 1;
            if (code >= SHORT_CODES && code < ONE_LINE_CODES) {
                line += code - SHORT_CODES;
            } else if (code >= ONE_LINE_CODES && code != NO_LOCATION) {
                line += signed(table, at + 1);
            }
            fill(units, code == NO_LOCATION ? 0 : line);
            at++;
            while (at < table.length && table[at] >= 0) { // The first byte of an entry has its highest bit set.
                at++;
            }
        }
    }

    /**
     * Reads a signed number of 6 bits a byte, lowest first; bit 6 is set if more bytes follow, the lowest bit is the
     * sign.
     */
    private static int signed(byte[] table, int from) {
        int value = 0;
        int shift = 0;
        for (int at = from; at < table.length; at++) {
            value |= (table[at] & 63) << shift;
            shift += 6;
            if ((table[at] & 64) == 0) {
                break;
            }
        }
        return (value & 1) != 0 ? -(value >>> 1) : value >>> 1;
    }

    private void fill(int units, int line) {
        int end = Math.min(MAX_UNITS, count + units);
        if (end > lines.length) {
            lines = Arrays.copyOf(lines, Math.max(end, lines.length * 2));
        }
        Arrays.fill(lines, count, end, line);
        count = end;
    }
}
