package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.activity.CodePlaces;
import java.util.regex.Pattern;

/** The part of a name that stays the same through small changes of a program, so that entities are found again. */
final class StableNames {
    private static final Pattern NUMBERED = Pattern.compile("#\\d+");
    private static final Pattern DIGITS = Pattern.compile("0x[0-9a-fA-F]+|\\d+");

    private StableNames() {}

    /**
     * Returns an annotation's name without the number of its iteration: {@code ProfilerStep#12} is {@code
     * ProfilerStep#}.
     */
    static String ofAnnotation(String name) {
        return NUMBERED.matcher(name).replaceAll("#");
    }

    /**
     * Returns {@code file function} of {@code file:line function}, because line numbers change when lines are added
     * above.
     */
    static String ofPlace(String where) {
        return CodePlaces.withoutLine(where);
    }

    /** Returns a generated name without template arguments, parameters and numbers, which differ between shapes. */
    static String likeness(String name) {
        StringBuilder plain = new StringBuilder(name.length());
        int depth = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            depth += c == '<' || c == '(' ? 1 : 0;
            if (depth == 0) {
                plain.append(c);
            }
            depth -= (c == '>' || c == ')') && depth > 0 ? 1 : 0;
        }
        return DIGITS.matcher(plain.isEmpty() ? name : plain).replaceAll("#");
    }
}
