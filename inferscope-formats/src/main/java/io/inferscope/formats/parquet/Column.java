package io.inferscope.formats.parquet;

/**
 * One column of a table. Every column may hold nulls.
 *
 * @param name its name, with the unit
 * @param type what it holds
 */
record Column(String name, Type type) {
    /** What a column can hold. */
    enum Type {
        NUMBER,
        REAL,
        TEXT
    }

    static Column number(String name) {
        return new Column(name, Type.NUMBER);
    }

    static Column text(String name) {
        return new Column(name, Type.TEXT);
    }
}
