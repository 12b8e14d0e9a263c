package io.inferscope.report.markdown;

import io.inferscope.report.common.PlainText;
import io.inferscope.report.html.Html;
import io.inferscope.report.tables.Table;
import java.nio.charset.StandardCharsets;

/** Writes bytes as a name and as a sentence into what people read. Jazzer calls it: {@code lab/fuzz}. */
public final class TextTarget {
    private TextTarget() {}

    /** Throws where a terminal, a browser or a spreadsheet would obey the text, or it takes more than its line or its cell. */
    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        String clean = PlainText.clean(text, PlainText.NAME);
        harmless(clean, text);
        if (clean.length() > 9 * PlainText.NAME) { // Each character may become its number.
            throw new AssertionError(clean.length() + " characters");
        }
        harmless(PlainText.csvCell(text).replaceAll("[\t\r\n]", " "), text);
        if (!text.isEmpty() && "=+-@\t\r".indexOf(PlainText.csvCell(text).charAt(0)) >= 0) {
            throw new AssertionError("a formula: " + PlainText.csvCell(text));
        }
        harmless(MarkdownText.prose(text), text);
        harmless(MarkdownText.name(text), text);
        onlyAsText(MarkdownText.html(text), text);
        for (Table.Kind kind : Table.Kind.values()) {
            String cell = MarkdownText.cell(kind, text);
            harmless(cell, text);
            for (int pipe = cell.indexOf('|'); pipe >= 0; pipe = cell.indexOf('|', pipe + 1)) {
                if (pipe == 0 || cell.charAt(pipe - 1) != '\\' || (pipe > 1 && cell.charAt(pipe - 2) == '\\')) {
                    throw new AssertionError("a pipe ends the cell: " + cell);
                }
            }
        }
        String html = new Html().element("b", text, "title", text).prose(text).toString();
        onlyAsText(
                html.replaceFirst("^<b title=\"[^\"<>]*\">([^<>]*)</b>", "$1").replaceAll("</?code>", ""), text);
    }

    private static void onlyAsText(String html, String text) {
        harmless(html, text);
        if (html.indexOf('<') >= 0 || html.indexOf('>') >= 0) {
            throw new AssertionError("markup: " + html);
        }
    }

    /** What terminals and eyes obey: C0 and C1 controls, bidirectional and zero-width characters, line separators. */
    private static void harmless(String shown, String text) {
        for (int i = 0; i < shown.length(); i++) {
            char c = shown.charAt(i);
            if (c < ' '
                    || (c >= 0x7f && c <= 0x9f)
                    || (c >= 0x200b && c <= 0x200f)
                    || (c >= 0x2028 && c <= 0x202e)
                    || (c >= 0x2066 && c <= 0x2069)
                    || c == 0xfeff) {
                throw new AssertionError("the character " + (int) c + " at " + i + " of " + shown + " made of " + text);
            }
        }
    }
}
