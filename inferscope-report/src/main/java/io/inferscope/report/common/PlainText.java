package io.inferscope.report.common;

import io.inferscope.analyzer.model.Units;

/**
 * Makes text of a trace safe for any output: one line, no control or bidirectional characters, limited length.
 * Character ranges are written out, because the JDK's tables change between versions.
 */
public final class PlainText {
    /** Longest name, in characters: mangled kernel names have some hundred. */
    public static final int NAME = 240;
    /** Longest sentence. */
    public static final int SENTENCE = 800;

    /** First characters of cells that spreadsheets evaluate: OWASP, "CSV Injection". */
    private static final String FORMULA = "=+-@\t\r";

    private PlainText() {}

    /**
     * Returns {@code text} on one line, of at most about {@code limit} characters; the number of characters cut from
     * its middle is inserted.
     */
    public static String clean(String text, int limit) {
        return visible(shorten(text, limit));
    }

    /** Replaces the middle of a text that is longer than {@code limit} characters by the number of characters cut. */
    public static String shorten(String text, int limit) {
        if (text.length() <= limit) {
            return text;
        }
        int head = wholeCharacters(text, limit / 2);
        int tail = wholeCharacters(text, text.length() - limit / 3);
        return text.substring(0, head) + "…(" + Units.count(tail - head) + " more)…" + text.substring(tail);
    }

    private static int wholeCharacters(String text, int index) {
        return index > 0 && Character.isLowSurrogate(text.charAt(index)) ? index - 1 : index;
    }

    /**
     * Returns {@code text} with white space replaced by spaces and control characters written as
     * <code>&#92;u{202e}</code>.
     */
    public static String visible(String text) {
        return visible(text, false);
    }

    /**
     * Returns {@code text} as a cell of a CSV file: white space stays, control characters are written as in {@link
     * #visible}, and a text that a spreadsheet would evaluate gets a leading apostrophe.
     */
    public static String csvCell(String text) {
        boolean formula = !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
        return visible(formula ? "'" + text : text, true);
    }

    private static String visible(String text, boolean keepWhiteSpace) {
        if (isPlain(text)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (c == '\t' || c == '\n' || c == '\r') {
                out.appendCodePoint(keepWhiteSpace ? c : ' ');
            } else if (isObeyed(c)) {
                escape(c, out);
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    /** Returns whether a text consists of visible ASCII only, as nearly all do. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!in(text.charAt(i), 0x20, 0x7e)) {
                return false;
            }
        }
        return true;
    }

    /** Writes a character as its number. */
    public static void escape(int c, StringBuilder out) {
        out.append("\\u{").append(Integer.toHexString(c)).append('}');
    }

    /**
     * Returns whether a character is a control, a bidirectional or other format control, a line separator, half a pair
     * or no character.
     */
    private static boolean isObeyed(int c) {
        return c < 0x20
                || in(c, 0x7f, 0x9f)
                || c == 0xad
                || c == 0x61c
                || c == 0x180e
                || in(c, 0x200b, 0x200f)
                || in(c, 0x2028, 0x202e)
                || in(c, 0x2060, 0x206f)
                || in(c, 0xd800, 0xdfff)
                || c == 0xfeff
                || in(c, 0xfff9, 0xfffb)
                || (c & 0xfffe) == 0xfffe
                || in(c, 0xe0000, 0xe0fff);
    }

    /** Returns whether a character is one of {@code first} to {@code last}. */
    public static boolean in(int c, int first, int last) {
        return c >= first && c <= last;
    }
}
