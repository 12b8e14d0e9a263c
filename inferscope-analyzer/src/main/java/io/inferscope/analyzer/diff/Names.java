package io.inferscope.analyzer.diff;

import java.util.regex.Pattern;

/** What of a name stays when a program is changed a little, so that the same thing is found again. */
final class Names {
    private static final Pattern NUMBERED = Pattern.compile("#\\d+");
    private static final Pattern DIGITS = Pattern.compile("0x[0-9a-fA-F]+|\\d+");
    private static final Pattern LINE = Pattern.compile(":\\d+(?= |$)");

    private Names() {}

    /** Returns an annotation's name without the number of its turn: {@code ProfilerStep#12} is {@code ProfilerStep#}. */
    static String ofAnnotation(String name) {
        return NUMBERED.matcher(name).replaceAll("#");
    }

    /** Returns {@code file function} of {@code file:line function}: lines move when others are added above them. */
    static String ofPlace(String where) {
        return LINE.matcher(where).replaceFirst("");
    }

    /** Returns what a generated name has in common with those made for other shapes: no template arguments, parameters and numbers. */
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
