package io.inferscope.report.markdown;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.PlainText;
import io.inferscope.report.common.Prose;
import io.inferscope.report.tables.Table;
import java.util.regex.Pattern;

/** Escapes text for GitHub-flavoured Markdown, so that it is shown literally. */
public final class MarkdownText {
    /** Signs that start markup anywhere in a line. */
    private static final String MARKUP = "\\`*_[]<>|~$&#@";

    /** The start of a numbered list. */
    private static final Pattern NUMBERED = Pattern.compile("^(\\d{1,9})([.)](?: |$))");

    private MarkdownText() {}

    /** Returns a sentence: its words escaped, its pieces of code in code spans. It can start a line. */
    public static String prose(Prose prose) {
        String markdown = inline(prose);
        return startsBlock(markdown)
                ? "\\" + markdown
                : NUMBERED.matcher(markdown).replaceFirst("$1\\\\$2");
    }

    public static String prose(String sentence) {
        return prose(Prose.of(sentence));
    }

    private static String inline(Prose prose) {
        StringBuilder out = new StringBuilder();
        for (Prose.Run run : prose.runs()) {
            out.append(run.code() ? code(run.text()) : words(run.text()));
        }
        return out.toString().strip();
    }

    /** Returns text for the places where Markdown takes HTML. */
    static String html(String text) {
        return PlainText.clean(text, PlainText.NAME)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
    }

    /** Returns a name in a code span, nothing for an empty one. */
    static String name(String name) {
        String clean = PlainText.clean(name, PlainText.NAME);
        return clean.isBlank() ? "" : code(clean);
    }

    /** Returns clean text between backticks, one more than its longest run of backticks. */
    private static String code(String text) {
        int longest = 0;
        int row = 0;
        for (int i = 0; i < text.length(); i++) {
            row = text.charAt(i) == '`' ? row + 1 : 0;
            longest = Math.max(longest, row);
        }
        String fence = "`".repeat(longest + 1);
        boolean pad = text.startsWith("`") || text.endsWith("`") || (text.startsWith(" ") && text.endsWith(" "));
        return fence + (pad ? " " + text + " " : text) + fence;
    }

    /**
     * Returns the text of a table's cell. GFM splits a row at every pipe without a backslash, also in code spans, and
     * then removes that backslash. A backslash of the text itself before a pipe would count as this escape, so a space
     * is put between them.
     */
    static String cell(Table.Kind kind, String text) {
        String clean = PlainText.clean(text, kind == Table.Kind.NAME ? PlainText.NAME : PlainText.SENTENCE);
        String apart = clean.replace("\\|", "\\ |");
        String markdown = kind == Table.Kind.NAME ? name(apart) : inline(Prose.of(apart));
        return (markdown.isBlank() ? Units.ABSENT : markdown)
                .replace("\\|", "|")
                .replace("|", "\\|");
    }

    private static String words(String text) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (MARKUP.indexOf(c) >= 0) {
                out.append('\\');
            }
            out.append(c);
        }
        return out.toString();
    }

    private static boolean startsBlock(String markdown) {
        return markdown.startsWith("-") || markdown.startsWith("+") || markdown.startsWith("=");
    }
}
