package io.inferscope.formats.tables;

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

    public static Column number(String name) {
        return new Column(name, Type.NUMBER);
    }

    public static Column text(String name) {
        return new Column(name, Type.TEXT);
    }
}
