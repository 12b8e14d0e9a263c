package io.inferscope.analyzer.model;

/** The critical path, and what removing a cause from it would save. */
public record PathTables() {
    /** Nothing of that is known. */
    public static final PathTables NONE = new PathTables();
}
