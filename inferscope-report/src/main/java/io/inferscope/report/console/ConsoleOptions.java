package io.inferscope.report.console;

/**
 * Settings for writing to a terminal.
 *
 * @param width columns; below 60 counts as 60
 * @param color whether ANSI colours are written
 * @param ascii whether only ASCII is written; everything else is transliterated or escaped
 * @param findings how many findings are shown
 */
public record ConsoleOptions(int width, boolean color, boolean ascii, int findings) {
    /** Plain text for a file: 100 columns, no colour. */
    public static final ConsoleOptions FILE = new ConsoleOptions(100, false, false);

    /** Raises the width to 60. */
    public ConsoleOptions {
        width = Math.max(60, width);
    }

    /** Shows the three findings that matter most. */
    public ConsoleOptions(int width, boolean color, boolean ascii) {
        this(width, color, ascii, 3);
    }
}
