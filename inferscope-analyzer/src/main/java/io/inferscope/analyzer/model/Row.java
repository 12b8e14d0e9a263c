package io.inferscope.analyzer.model;

/** One line of a table of the report. */
public interface Row {
    /**
     * Passes every column to {@code to}. This method is the only list of a table's columns: the JSON report and its
     * reader, the tables for people, the metrics by name, the tables of {@code query} and the lists of columns in docs/
     * follow from it.
     *
     * <p>The set of columns must not depend on the values. Columns that programs read must be in the order of the
     * record's components.
     */
    void columns(Columns to);
}
