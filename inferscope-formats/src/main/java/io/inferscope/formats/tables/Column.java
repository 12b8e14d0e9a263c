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

    /** Returns columns by their names, divided by spaces, each as in {@link #of}. */
    public static List<Column> list(String names) {
        return Arrays.stream(names.split(" ")).map(Column::of).toList();
    }

    /** Returns a column by its name, at whose end {@code #} marks whole numbers and {@code %} doubles; others are texts. */
    public static Column of(String name) {
        String bare = name.substring(0, name.length() - 1);
        return name.endsWith("#") ? number(bare) : name.endsWith("%") ? new Column(bare, Type.REAL) : text(name);
    }

    public static Column number(String name) {
        return new Column(name, Type.NUMBER);
    }

    public static Column text(String name) {
        return new Column(name, Type.TEXT);
    }
}
