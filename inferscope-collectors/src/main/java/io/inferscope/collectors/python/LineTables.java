package io.inferscope.collectors.python;

import java.util.Arrays;

/**
 * The line of each instruction of a code object (a code unit of 2 bytes), and from 3.11 on the columns of its
 * expression. Formats: Objects/lnotab_notes.txt of 3.9 and of 3.10, Objects/locations.md of 3.11 and later.
 */
final class LineTables {
    private static final int MAX_UNITS = 1 << 20;
    private static final int NO_LINE_DELTA = -128;

    private static final int SHORT_CODES = 10; // 0 to 9: same line, columns follow
    private static final int ONE_LINE_CODES = 13; // 10 to 12: 0 to 2 lines on
    private static final int NO_LOCATION = 15;

    private static final int LONG_CODE = 14;

    private int[] lines = new int[256];
    private int[] columns = new int[256];
    private int count;

    /** Position in the table, behind the number read last. */
    private int position;

    private LineTables() {}

    /** Decodes the table of a code object of CPython 3.{@code minor} that begins at {@code firstLine}. */
    static LineTables decode(int minor, byte[] table, int firstLine) {
        LineTables tables = new LineTables();
        if (minor == 9) {
            tables.lnotab(table, firstLine);
        } else if (minor == 10) {
            tables.deltas(table, firstLine);
        } else {
            tables.locations(table, firstLine);
        }
        tables.lines = Arrays.copyOf(tables.lines, tables.count);
        tables.columns = minor < 11 ? new int[0] : Arrays.copyOf(tables.columns, tables.count);
        return tables;
    }

    /** Returns the line of each instruction, 0 where it belongs to none. */
    int[] lines() {
        return lines;
    }

    /**
     * Returns the columns of each instruction's expression, empty before 3.11: where it begins, from 1, in bytes, times
     * 65,536, plus the column behind its end, 0 where that is on another line. 0 for an instruction whose columns are not
     * known.
     */
    int[] columns() {
        return columns;
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
            position = at + 1;
            int range = 0;
            if (code < SHORT_CODES) {
                int begin = at + 1 < table.length ? 8 * code + (table[at + 1] >> 4 & 7) : 0;
                range = at + 1 < table.length ? columns(begin + 1, begin + 1 + (table[at + 1] & 15)) : 0;
            } else if (code < ONE_LINE_CODES) {
                line += code - SHORT_CODES;
                range = at + 2 < table.length ? columns((table[at + 1] & 0xff) + 1, (table[at + 2] & 0xff) + 1) : 0;
            } else if (code != NO_LOCATION) {
                line += signed(table);
                boolean isOneLine = code == LONG_CODE && unsigned(table) == 0;
                int begin = code == LONG_CODE ? unsigned(table) : 0; // Numbers are columns from 1, 0 for none.
                range = begin == 0 ? 0 : columns(begin, isOneLine ? unsigned(table) : 0);
            }
            fill(units, code == NO_LOCATION ? 0 : line, range);
            at++;
            while (at < table.length && table[at] >= 0) { // The first byte of an entry has its highest bit set.
                at++;
            }
        }
    }

    private static int columns(int begin, int end) {
        boolean fits = begin > 0 && begin < 1 << 15 && end < 1 << 15;
        return fits ? begin << 16 | Math.max(0, end) : 0;
    }

    /** Reads a number of 6 bits a byte, lowest first; bit 6 is set if more bytes follow. */
    private int unsigned(byte[] table) {
        int value = 0;
        int shift = 0;
        while (position < table.length) {
            byte next = table[position++];
            value |= (next & 63) << shift;
            shift += 6;
            if ((next & 64) == 0) {
                break;
            }
        }
        return value;
    }

    /** Reads such a number whose lowest bit is its sign. */
    private int signed(byte[] table) {
        int value = unsigned(table);
        return (value & 1) != 0 ? -(value >>> 1) : value >>> 1;
    }

    private void fill(int units, int line) {
        fill(units, line, 0);
    }

    private void fill(int units, int line, int range) {
        int end = Math.min(MAX_UNITS, count + units);
        if (end > lines.length) {
            lines = Arrays.copyOf(lines, Math.max(end, lines.length * 2));
            columns = Arrays.copyOf(columns, lines.length);
        }
        Arrays.fill(lines, count, end, line);
        Arrays.fill(columns, count, end, range);
        count = end;
    }
}
