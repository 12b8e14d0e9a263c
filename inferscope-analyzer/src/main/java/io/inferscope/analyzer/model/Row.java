package io.inferscope.analyzer.model;

/** One line of a table of the report. */
public interface Row {
    /**
     * Hands over every column. This is the only place that lists them: the JSON report and its reader, the tables for people, the
     * metrics by name, the tables of {@code query} and the lists of columns in docs/ follow from it.
     *
     * <p>Which columns there are does not depend on the values. Those that programs read come in the order of the record's components.
     */
    void columns(Columns to);
}
