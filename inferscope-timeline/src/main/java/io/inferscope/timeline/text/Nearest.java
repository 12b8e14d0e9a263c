package io.inferscope.timeline.text;

import java.util.Collection;
import java.util.Optional;

/** Finds the known name closest to a misspelt one. */
public final class Nearest {
    /** Longer names are no slip of the keyboard. */
    private static final int LONGEST = 200;

    private Nearest() {}

    /**
     * Returns {@code (did you mean 'x'?)} for the closest of the known names, the first of equally close ones; empty if
     * none is close.
     */
    public static String hint(String name, Collection<String> known) {
        if (name.length() > LONGEST) {
            return "";
        }
        int limit = Math.max(2, name.length() / 4) + 1;
        Optional<String> best = Optional.empty();
        for (String candidate : known) {
            int distance = distance(name, candidate);
            if (distance < limit) {
                limit = distance;
                best = Optional.of(candidate);
            }
        }
        return best.map(candidate -> " (did you mean '" + candidate + "'?)").orElse("");
    }

    /** Returns how many letters must be inserted, removed or replaced to turn one text into the other (Levenshtein). */
    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
