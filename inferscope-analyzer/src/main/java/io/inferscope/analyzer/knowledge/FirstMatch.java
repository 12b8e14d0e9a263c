package io.inferscope.analyzer.knowledge;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table of patterns, each with the meaning of a text in which it is found; the first matching row decides. A pattern
 * of many words costs microseconds per text, and most texts contain none of the words. So the last letters of all words
 * are looked for first, in one pass.
 *
 * @param <T> what a row means
 */
public final class FirstMatch<T> {
    /** A bit for each row. */
    private static final int MOST_ROWS = Long.SIZE;

    /** How many letters at the end of each word are looked for; words of three letters are looked for whole. */
    private static final int LONG = 4;

    private static final int SHORT = 3;
    private static final int BITS = 12;
    private static final int TABLE = 1 << BITS;

    /** What a text means in which a pattern is found. */
    public record Row<T>(T means, Pattern pattern) {}

    private final List<Row<T>> rows;

    /** By the hash of letters: the rows with a word that ends with them. */
    private final long[] ofLong = new long[TABLE];

    private final long[] ofShort = new long[TABLE];

    /** The rows that may match a text without any of these endings. */
    private final long always;

    public FirstMatch(List<Row<T>> rows) {
        if (rows.size() > MOST_ROWS) {
            throw new IllegalArgumentException(rows.size() + " rows, more than " + MOST_ROWS);
        }
        this.rows = List.copyOf(rows);
        long unfiltered = 0;
        for (int i = 0; i < rows.size(); i++) {
            long bit = 1L << i;
            for (String alternative : alternatives(rows.get(i).pattern().pattern())) {
                String word = longestWord(alternative);
                int end = word.length();
                if (end >= LONG) {
                    ofLong[hash(word, end - LONG, end)] |= bit;
                } else if (end == SHORT) {
                    ofShort[hash(word, 0, end)] |= bit;
                } else {
                    unfiltered |= bit;
                }
            }
        }
        this.always = unfiltered;
    }

    /** Returns the meaning of the first row whose pattern is found in a text. */
    public Optional<T> in(String text) {
        long left = candidates(text);
        while (left != 0) {
            Row<T> row = rows.get(Long.numberOfTrailingZeros(left));
            if (row.pattern().matcher(text).find()) {
                return Optional.of(row.means());
            }
            left &= left - 1;
        }
        return Optional.empty();
    }

    /** Returns the rows that may match a text. */
    private long candidates(String text) {
        long found = always;
        int last4 = 0;
        for (int i = 0; i < text.length(); i++) {
            last4 = (last4 << 8) | lower(text.charAt(i));
            if (i >= SHORT - 1) {
                found |= ofShort[slot(last4 & 0xFFFFFF)];
            }
            if (i >= LONG - 1) {
                found |= ofLong[slot(last4)];
            }
        }
        return found;
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

    /** Returns the end of what begins there: a group, a class of letters, an escaped letter or a letter. */
    private static int next(String regex, int at) {
        return switch (regex.charAt(at)) {
            case '\\' -> at + 2;
            case '[' -> regex.indexOf(']', at + 2) + 1;
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

    /** Returns the longest run of letters that every text with a match of the alternative contains. */
    private static String longestWord(String alternative) {
        String longest = "";
        StringBuilder word = new StringBuilder();
        int at = 0;
        while (at < alternative.length()) {
            int end = next(alternative, at);
            Character letter = letter(alternative, at);
            boolean mayBeAbsent = end < alternative.length() && "?*{".indexOf(alternative.charAt(end)) >= 0;
            if (letter == null || mayBeAbsent) {
                word.setLength(0);
            } else {
                word.append(letter.charValue());
            }
            longest = word.length() > longest.length() ? word.toString() : longest;
            at = end;
        }
        return longest;
    }

    /** Returns the literal letter at a position, null if something else begins there. */
    private static @Nullable Character letter(String regex, int at) {
        char c = regex.charAt(at);
        if (c == '\\') {
            char escaped = regex.charAt(at + 1);
            return Character.isLetterOrDigit(escaped) ? null : Character.valueOf(escaped);
        }
        return "([.^$?*+{}|".indexOf(c) >= 0 ? null : Character.valueOf(c);
    }
}
