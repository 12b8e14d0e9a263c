package io.inferscope.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A sentence as a list of words and pieces of code. What a rule writes mixes its own words with names from the trace, so a word
 * that any markup could read as more than a word (brackets, markup signs, {@code @}, an address, a flag) becomes a piece of code,
 * which Markdown and HTML show as it stands. What stands between two backticks is code as well.
 *
 * @param runs its pieces, whose texts are clean
 */
record Prose(List<Run> runs) {
    /** A piece: words, white space included, or code. */
    record Run(String text, boolean code) {}

    private static final Pattern PUNCTUATION = Pattern.compile("[\\p{Punct}]+");
    private static final Pattern TECHNICAL = Pattern.compile(
            "[<>\\[\\]{}*_`|~$&@#\\\\=]|::|:/|^-+\\p{Alpha}|(?i)^\\W*www\\.|\\w\\(|\\.\\w+:\\d|^\\w+\\.\\w+\\.\\w+|/\\w+[./]|^:\\w+:|(?i)javascript:");
    /** A full stop or the like that ends a word, and is no part of a name. */
    private static final Pattern LAST = Pattern.compile("[.,;:!?]+$");

    static Prose of(String sentence) {
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

    /** Adds a name, of at most {@link PlainText#NAME} characters. */
    Prose code(String name) {
        List<Run> list = new ArrayList<>(runs);
        add(list, PlainText.clean(name, PlainText.NAME), true);
        return new Prose(List.copyOf(list));
    }

    /** Returns it as plain text, names as they stand. */
    String plain() {
        StringBuilder text = new StringBuilder();
        runs.forEach(run -> text.append(run.text()));
        return text.toString();
    }

    private static void addWords(List<Run> list, String text) {
        int start = 0;
        while (start < text.length()) {
            int end = text.indexOf(' ', start);
            end = end < 0 ? text.length() : end;
            addWord(list, text.substring(start, end));
            int next = end;
            while (next < text.length() && text.charAt(next) == ' ') {
                next++;
            }
            add(list, text.substring(end, next), false);
            start = next;
        }
    }

    private static void addWord(List<Run> list, String word) {
        if (PUNCTUATION.matcher(word).matches() || !TECHNICAL.matcher(word).find()) {
            add(list, word, false);
            return;
        }
        var last = LAST.matcher(word);
        int end = last.find() ? last.start() : word.length();
        add(list, word.substring(0, end), true);
        add(list, word.substring(end), false);
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
