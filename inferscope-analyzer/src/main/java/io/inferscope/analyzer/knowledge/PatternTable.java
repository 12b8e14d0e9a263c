package io.inferscope.analyzer.knowledge;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table of patterns, each with the meaning of a text in which it is found; the first matching row decides. A pattern
 * of many words costs microseconds per text, and most texts contain none of the words. So the longest words of all
 * alternatives are looked for first, by their last letters and in one pass. An alternative that is a word and no more
 * needs no pattern; the others are compiled when their word is first seen.
 *
 * @param <T> what a row means
 */
public final class PatternTable<T> {
    /** How many letters at the end of each word are looked for; words of three letters are looked for whole. */
    private static final int LONG = 4;

    private static final int SHORT = 3;

    /** Begins a pattern whose letters may be large or small. */
    static final String ANY_CASE = "(?i)";

    private static final int BITS = 12;
    private static final int TABLE = 1 << BITS;

    /**
     * A row of the table.
     *
     * @param flags those of {@link Pattern}: none or {@link Pattern#CASE_INSENSITIVE}
     */
    public record Row<T>(T means, String regex, int flags) {}

    /** One of the alternatives of a row. */
    private static final class Alternative<T> {
        private final T means;
        private final String regex;
        private final int flags;
        private final String word;

        /** The alternative before it whose word has the same hash; null for none. */
        private @Nullable Alternative<T> chained;

        private int number;
        private @Nullable Pattern pattern;

        Alternative(Row<T> row, String regex) {
            this.means = row.means();
            this.regex = regex;
            this.flags = row.flags();
            this.word = longestWord(regex);
        }

        boolean isWord() {
            return word.length() == regex.length();
        }

        boolean endsAt(String text, int end) {
            int start = end - word.length();
            for (int i = word.length() - 1; start >= 0 && i >= 0; i--) {
                char a = text.charAt(start + i);
                char b = word.charAt(i);
                if (a != b && (flags == 0 || lower(a) != lower(b) || a >= ASCII || b >= ASCII)) {
                    return false;
                }
            }
            return start >= 0;
        }

        boolean isIn(String text) {
            Pattern compiled = pattern;
            if (compiled == null) {
                compiled = Pattern.compile(regex, flags);
                pattern = compiled;
            }
            return compiled.matcher(text).find();
        }
    }

    private static final int ASCII = 0x80;

    private final List<Alternative<T>> alternatives = new ArrayList<>();

    /** By the hash of letters: the alternatives whose word ends with them. */
    private final @Nullable Alternative<T>[] ofLong = table();

    private final @Nullable Alternative<T>[] ofShort = table();

    /** The alternatives that may be found in a text without any of these endings. */
    private final BitSet always = new BitSet();

    /** The first of the rows that match decides. */
    public PatternTable(List<Row<T>> rows) {
        for (Row<T> row : rows) {
            for (String regex : alternatives(row.regex())) {
                add(new Alternative<>(row, regex));
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> @Nullable Alternative<T>[] table() {
        return new Alternative[TABLE];
    }

    private void add(Alternative<T> added) {
        added.number = alternatives.size();
        alternatives.add(added);
        int end = added.word.length();
        if (end < SHORT) {
            always.set(added.number);
            return;
        }
        @Nullable Alternative<T>[] table = end == SHORT ? ofShort : ofLong;
        int slot = hash(added.word, Math.max(0, end - LONG), end);
        added.chained = table[slot];
        table[slot] = added;
    }

    /** Returns the meaning of the first row whose pattern is found in a text. */
    public Optional<T> in(String text) {
        BitSet candidates = (BitSet) always.clone();
        int first = alternatives.size();
        int last4 = 0;
        for (int i = 0; i < text.length(); i++) {
            last4 = (last4 << 8) | lower(text.charAt(i));
            if (i >= SHORT - 1) {
                first = first(ofShort[slot(last4 & 0xFFFFFF)], text, i + 1, first, candidates);
            }
            if (i >= LONG - 1) {
                first = first(ofLong[slot(last4)], text, i + 1, first, candidates);
            }
        }
        for (int i = candidates.nextSetBit(0); i >= 0 && i < first; i = candidates.nextSetBit(i + 1)) {
            if (alternatives.get(i).isIn(text)) {
                first = i;
            }
        }
        return first < alternatives.size() ? Optional.of(alternatives.get(first).means) : Optional.empty();
    }

    /** Returns the first alternative that is found; notes those before it that may be. */
    private static <T> int first(@Nullable Alternative<T> chain, String text, int end, int known, BitSet candidates) {
        int first = known;
        for (Alternative<T> next = chain; next != null; next = next.chained) {
            if (next.number < first && next.endsAt(text, end)) {
                if (next.isWord()) {
                    first = next.number;
                } else {
                    candidates.set(next.number);
                }
            }
        }
        return first;
    }

    private static int hash(String text, int from, int to) {
        int letters = 0;
        for (int i = from; i < to; i++) {
            letters = (letters << 8) | lower(text.charAt(i));
        }
        return slot(letters);
    }

    /** Fibonacci hashing. */
    private static int slot(int letters) {
        return (letters * 0x9E3779B9) >>> (Integer.SIZE - BITS);
    }

    /**
     * Returns the low byte of a letter, in lower case for ASCII. Letters that differ only in the other byte cost a
     * needless search.
     */
    private static int lower(char c) {
        return (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) & 0xFF;
    }

    /** Returns the alternatives of a pattern, divided at each bar that is in no group and in no class of letters. */
    private static List<String> alternatives(String regex) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        int at = 0;
        while (at < regex.length()) {
            if (regex.charAt(at) == '|') {
                parts.add(regex.substring(start, at));
                start = at + 1;
            }
            at = next(regex, at);
        }
        parts.add(regex.substring(start));
        return parts;
    }

    /** Returns the end of what begins there: a group, a class of letters, a count, an escaped letter or a letter. */
    private static int next(String regex, int at) {
        return switch (regex.charAt(at)) {
            case '\\' -> regex.startsWith("\\k<", at) ? regex.indexOf('>', at) + 1 : at + 2;
            case '[' -> regex.indexOf(']', at + 2) + 1;
            case '{' -> regex.indexOf('}', at) + 1;
            case '(' -> endOfGroup(regex, at);
            default -> at + 1;
        };
    }

    private static int endOfGroup(String regex, int at) {
        int inside = at + 1;
        while (regex.charAt(inside) != ')') {
            inside = next(regex, inside);
        }
        return inside + 1;
    }

    /**
     * Returns words of which every match of a pattern contains one, in small letters if the pattern is of any case; none
     * if a match may contain none.
     */
    static List<String> words(String regex) {
        boolean anyCase = regex.startsWith(ANY_CASE);
        String pattern = anyCase ? regex.substring(ANY_CASE.length()).toLowerCase(Locale.ROOT) : regex;
        if (pattern.contains("(?i")) {
            return List.of();
        }
        List<String> words = new ArrayList<>();
        for (String alternative : alternatives(pattern)) {
            String word = longestWord(alternative);
            if (word.isEmpty()) {
                return List.of();
            }
            words.add(word);
        }
        return words;
    }

    /** Returns the longest run of letters that every text with a match of the alternative contains. */
    private static String longestWord(String alternative) {
        int length = alternative.length();
        char[] letters = new char[length];
        int count = 0;
        int start = 0;
        int longest = 0;
        int from = 0;
        for (int at = 0; at < length; ) {
            int end = next(alternative, at);
            int letter = letter(alternative, at, end);
            if (letter < 0) {
                start = count;
            } else {
                letters[count++] = (char) letter;
                if (count - start > longest) {
                    longest = count - start;
                    from = start;
                }
            }
            at = end;
        }
        return new String(letters, from, longest);
    }

    /** Returns the letter that is written from {@code at} to {@code end}, -1 if it may be absent or is none. */
    private static int letter(String regex, int at, int end) {
        char next = end < regex.length() ? regex.charAt(end) : 0;
        if (next == '?' || next == '*' || next == '{') {
            return -1;
        }
        char c = regex.charAt(at);
        if (c == '\\') {
            char escaped = regex.charAt(at + 1);
            return Character.isLetterOrDigit(escaped) ? -1 : escaped;
        }
        return "([.^$?*+{}|".indexOf(c) >= 0 ? -1 : c;
    }
}
