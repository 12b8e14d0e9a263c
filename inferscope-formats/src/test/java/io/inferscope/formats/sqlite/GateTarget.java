package io.inferscope.formats.sqlite;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/** Asks whether bytes are a query that only reads. Jazzer calls it: {@code lab/fuzz}. */
public final class GateTarget {
    /** What begins the other statements, https://www.sqlite.org/lang.html. */
    private static final Set<String> OTHERS = Set.of(
            "alter",
            "analyze",
            "attach",
            "begin",
            "commit",
            "create",
            "delete",
            "detach",
            "drop",
            "end",
            "insert",
            "reindex",
            "release",
            "replace",
            "rollback",
            "savepoint",
            "update",
            "vacuum");

    private GateTarget() {}

    /** Throws where a statement passes that SQLite, by the rules of its own tokeniser, takes for one that does more than read. */
    public static void fuzzerTestOneInput(byte[] input) {
        String sql = new String(input, StandardCharsets.UTF_8);
        try {
            TimelineQueries.checkReads(sql);
        } catch (IllegalArgumentException refused) {
            return;
        }
        Words words = new Words(sql);
        String first = words.next();
        if (OTHERS.contains(first)) {
            throw new AssertionError("a statement that begins with '" + first + "' passes: " + sql);
        }
        if (first.equals("explain")) {
            first = words.next();
            first = !first.equals("query") ? first : words.next().equals("plan") ? words.next() : "";
        }
        if (first.equals("pragma")) {
            String name = words.next();
            name = words.next().equals(".") ? words.next() : name;
            if (!TimelineQueries.READING_PRAGMAS.contains(name)) {
                throw new AssertionError("PRAGMA " + name + " passes: " + sql);
            }
        }
    }

    /** What SQLite's tokeniser makes of a text, https://www.sqlite.org/src/file/src/tokenize.c: comments and white space are nothing. */
    private static final class Words {
        private final String text;
        private int at;

        Words(String text) {
            this.text = text;
        }

        /** Returns a word, or one other character; empty at the end. */
        String next() {
            skipNothing();
            int from = at;
            while (at < text.length() && isOfWord(text.charAt(at))) {
                at++;
            }
            at += at == from && at < text.length() ? 1 : 0;
            return text.substring(from, at).toLowerCase(Locale.ROOT);
        }

        private static boolean isOfWord(char c) {
            return (c >= '0' && c <= '9')
                    || (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || c == '_'
                    || c == '$'
                    || c > 127;
        }

        private void skipNothing() {
            for (int from = -1; from != at; ) {
                from = at;
                while (at < text.length() && " \t\n\f\r".indexOf(text.charAt(at)) >= 0) {
                    at++;
                }
                if (text.startsWith("--", at)) {
                    int end = text.indexOf('\n', at);
                    at = end < 0 ? text.length() : end;
                } else if (text.startsWith("/*", at)) {
                    int end = text.indexOf("*/", at + 2);
                    at = end < 0 ? text.length() : end + 2;
                }
            }
        }
    }
}
