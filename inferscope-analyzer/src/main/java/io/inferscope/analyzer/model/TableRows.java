package io.inferscope.analyzer.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tables whose rows are known. */
public final class TableRows implements FigureTables {
    private final Map<TableId<?>, List<?>> rows = new HashMap<>();
    private TableNotes notes = TableNotes.NONE;

    /** Sets the rows of a table. */
    public <R extends Record & Row> TableRows with(TableId<R> table, List<? extends R> of) {
        rows.put(table, List.copyOf(of));
        return this;
    }

    public TableRows with(TableNotes of) {
        notes = of;
        return this;
    }

    @SuppressWarnings("unchecked") // Put there by the same key.
    @Override
    public <R extends Record & Row> List<R> rows(TableId<R> table) {
        return (List<R>) rows.getOrDefault(table, List.of());
    }

    @Override
    public TableNotes notesOnTables() {
        return notes;
    }
}
