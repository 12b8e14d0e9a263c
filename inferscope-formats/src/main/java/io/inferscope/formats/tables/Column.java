package io.inferscope.formats.tables;

import java.util.Arrays;
import java.util.List;

/**
 * One column of a table. Every column may contain nulls.
 *
 * @param name its name, with the unit
 * @param type the type of its values
 */
public record Column(String name, Type type) {
    public enum Type {
        /** Whole numbers of 64 bits. */
        NUMBER,
        /** Doubles. */
        REAL,
        /** UTF-8 text. */
        TEXT
    }

    /** Returns columns by their names, divided by spaces; {@code #} marks whole numbers, others are texts. */
    public static List<Column> list(String names) {
        return Arrays.stream(names.split(" "))
                .map(name -> name.endsWith("#") ? number(name.substring(0, name.length() - 1)) : text(name))
                .toList();
    }

    public static Column number(String name) {
        return new Column(name, Type.NUMBER);
    }

    public static Column text(String name) {
        return new Column(name, Type.TEXT);
    }
}
