package io.inferscope.report.common;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A sentence as a list of words and pieces of code. Rules' texts mix words with names from the trace. A word that
 * markup could interpret (brackets, markup signs, {@code @}, an address, a flag) becomes a piece of code, which
 * Markdown and HTML show unchanged. Text between two backticks is code as well.
 *
 * @param runs its pieces, whose texts are clean
 */
public record Prose(List<Run> runs) {
    /** A piece: words, white space included, or code. */
    public record Run(String text, boolean code) {}

    private static final Pattern PUNCTUATION = Pattern.compile("[\\p{Punct}]+");
    private static final Pattern TECHNICAL = Pattern.compile(
            "[<>\\[\\]{}*_`|~$&@#\\\\=]|::|:/|^-+\\p{Alpha}|(?i)^\\W*www\\.|\\w\\(|\\.\\w+:\\d|^\\w+\\.\\w+\\.\\w+|/\\w+[./]|^:\\w+:|(?i)javascript:");
    /** Punctuation that ends a word and is not part of a name. */
    private static final Pattern LAST = Pattern.compile("(?<![.,;:!?])[.,;:!?]+$");

    public static Prose of(String sentence) {
        return new Prose(List.of()).words(sentence);
    }

    /** Adds a sentence, or a piece of one, of at most {@link PlainText#SENTENCE} characters. */
    Prose words(String sentence) {
        List<Run> list = new ArrayList<>(runs);
        String[] pieces = PlainText.clean(sentence, PlainText.SENTENCE).split("`", -1);
        for (int i = 0; i < pieces.length; i++) {
            boolean code = i % 2 == 1 && i < pieces.length - 1;
            if (code && !pieces[i].isBlank()) {
                add(list, pieces[i], true);
            } else {
                addWords(list, (i % 2 == 1 ? "`" : "") + pieces[i] + (code ? "`" : ""));
            }
        }
        return new Prose(List.copyOf(list));
    }

    /** Adds a name, of at most about {@code limit} characters. */
    public Prose code(String name, int limit) {
        List<Run> list = new ArrayList<>(runs);
        add(list, PlainText.clean(name, limit), true);
        return new Prose(List.copyOf(list));
    }

    /** Returns the sentence as plain text with names unchanged. */
    public String plain() {
        StringBuilder text = new StringBuilder();
        runs.forEach(run -> text.append(run.text()));
        return text.toString();
    }

    private static void addWords(List<Run> list, String text) {
        int start = 0;
        while (start < text.length()) {
            int end = wordEnd(text, start);
            String word = text.substring(start, end);
            if (PUNCTUATION.matcher(word).matches() || !TECHNICAL.matcher(word).find()) {
                add(list, word, false);
            } else {
                end = codeEnd(text, start);
                addCode(list, text.substring(start, end));
            }
            int next = end;
            while (next < text.length() && text.charAt(next) == ' ') {
                next++;
            }
            add(list, text.substring(end, next), false);
            start = next;
        }
    }

    /** Adds code without the bracket and the punctuation that belong to the sentence around it. */
    private static void addCode(List<Run> list, String code) {
        int first = code.startsWith("(") ? 1 : 0;
        var last = LAST.matcher(code);
        int end = last.find() ? last.start() : code.length();
        if (first == 1 && end > 1 && code.charAt(end - 1) == ')') {
            end--;
        }
        if (first >= end) {
            add(list, code, true);
            return;
        }
        add(list, code.substring(0, first), false);
        add(list, code.substring(first, end), true);
        add(list, code.substring(end), false);
    }

    private static int wordEnd(String text, int start) {
        int end = text.indexOf(' ', start);
        return end < 0 ? text.length() : end;
    }

    /**
     * Returns the end of the first word after which all brackets opened since {@code start} are closed; without one,
     * the end of the first word.
     */
    private static int codeEnd(String text, int start) {
        int depth = text.charAt(start) == '(' ? -1 : 0;
        int limit = Math.min(text.length(), start + PlainText.SENTENCE);
        for (int i = start; i < limit; i++) {
            char c = text.charAt(i);
            if (c == ' ' && depth <= 0) {
                return i;
            }
            boolean arrow = c == '>' && i > 0 && "-=".indexOf(text.charAt(i - 1)) >= 0;
            depth += "([{<".indexOf(c) >= 0 ? 1 : ")]}>".indexOf(c) >= 0 && !arrow ? -1 : 0;
        }
        return limit == text.length() && depth <= 0 ? limit : wordEnd(text, start);
    }

    private static void add(List<Run> list, String text, boolean code) {
        if (text.isEmpty()) {
            return;
        }
        Run last = list.isEmpty() ? null : list.get(list.size() - 1);
        if (last != null && !last.code() && !code) {
            list.set(list.size() - 1, new Run(last.text() + text, false));
        } else {
            list.add(new Run(text, code));
        }
    }
}
