package io.inferscope.report;

/** Text as GitHub-flavoured Markdown that shows it and does nothing else. */
final class MarkdownText {
    /** Signs that start markup anywhere in a line. */
    private static final String MARKUP = "\\`*_[]<>|~$&#@";

    private MarkdownText() {}

    /** Returns a sentence: its words escaped, its pieces of code in code spans. It can start a line. */
    static String prose(Prose prose) {
        StringBuilder out = new StringBuilder();
        for (Prose.Run run : prose.runs()) {
            if (run.code()) {
                out.append(code(run.text()));
            } else {
                out.append(words(run.text(), out.isEmpty()));
            }
        }
        return out.toString();
    }

    static String prose(String sentence) {
        return prose(Prose.of(sentence));
    }

    /** Returns a name in a code span, nothing for an empty one. */
    static String name(String name) {
        String clean = PlainText.clean(name, PlainText.NAME);
        return clean.isBlank() ? "" : code(clean);
    }

    /** Returns clean text between backticks, one more than it has in a row. */
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
     * Returns the text of a table's cell. GFM splits a row at every pipe without a backslash, in code spans too, and then takes
     * that backslash away; a backslash that the text itself has before a pipe would be taken for it, so a space parts the two.
     */
    static String cell(Table.Kind kind, String text) {
        String clean = PlainText.clean(text, kind == Table.Kind.NAME ? PlainText.NAME : PlainText.SENTENCE);
        String apart = clean.replace("\\|", "\\ |");
        String markdown = kind == Table.Kind.NAME ? name(apart) : prose(apart);
        return (markdown.isBlank() ? Units.ABSENT : markdown)
                .replace("\\|", "|")
                .replace("|", "\\|");
    }

    private static String words(String text, boolean startsLine) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (MARKUP.indexOf(c) >= 0 || (startsLine && startsBlock(text, i))) {
                out.append('\\');
            }
            out.append(c);
        }
        return out.toString();
    }

    /** Returns whether the character would make its line a list, a rule or a heading's underline. */
    private static boolean startsBlock(String text, int i) {
        char c = text.charAt(i);
        if (c == '-' || c == '+' || c == '=') {
            return i == 0;
        }
        boolean numbered = i > 0 && i <= 9 && text.substring(0, i).chars().allMatch(d -> d >= '0' && d <= '9');
        boolean last = i + 1 == text.length() || text.charAt(i + 1) == ' ';
        return (c == '.' || c == ')') && numbered && last;
    }
}
