package io.inferscope.formats.tables;

import java.util.Arrays;
import java.util.List;

/**
 * One column of a table. Every column may contain nulls.
 *
 * @param name its name, with the unit
 * @param type the type of its values
 */
public record OutputColumn(String name, Type type) {
    public enum Type {
        /** Whole numbers of 64 bits. */
        NUMBER,
        /** Doubles. */
        REAL,
        /** UTF-8 text. */
        TEXT
    }

    /** Returns columns by their names, divided by spaces, each as in {@link #of}. */
    public static List<OutputColumn> list(String names) {
        return Arrays.stream(names.split(" ")).map(OutputColumn::of).toList();
    }

    /** Returns a column by its name, at whose end {@code #} marks whole numbers and {@code %} doubles; others are texts. */
    public static OutputColumn of(String name) {
        String bare = name.substring(0, name.length() - 1);
        return name.endsWith("#") ? number(bare) : name.endsWith("%") ? new OutputColumn(bare, Type.REAL) : text(name);
    }

    public static OutputColumn number(String name) {
        return new OutputColumn(name, Type.NUMBER);
    }

    public static OutputColumn text(String name) {
        return new OutputColumn(name, Type.TEXT);
    }
}
