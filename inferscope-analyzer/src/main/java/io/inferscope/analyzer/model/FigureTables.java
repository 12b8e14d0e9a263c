package io.inferscope.analyzer.model;

import java.util.List;

/** The tables of a report, or of an analysis whose report is not made yet. */
public interface FigureTables {
    /** Returns the rows of a table in its order, none if nothing of that is known. */
    <R extends Record & Row> List<R> rows(TableId<R> table);

    /** Returns what is known of the tables besides their rows. */
    TableNotes notesOnTables();
}
