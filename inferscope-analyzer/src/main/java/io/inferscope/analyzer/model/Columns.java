package io.inferscope.analyzer.model;

import io.inferscope.analyzer.model.Report.Stretch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the columns of a row, each with its value. Rows call these methods instead of declaring a list of columns with
 * getters: linking some 230 getters takes 25 to 55 ms of CPU at each start (JDK 25 and 17, with their start-up
 * archives).
 */
public interface Columns {
    /**
     * Adds a column.
     *
     * @param id its name in the JSON report
     * @param kind the kind of its values
     * @param heading its heading in tables for people; empty if it is not shown there
     * @param value its value, of the Java type that {@code kind} names; null, or an empty text, for none
     */
    default Columns add(String id, ColumnKind kind, String heading, @Nullable Object value) {
        boolean none = value != null && kind.isOptional() && value.equals(kind.none());
        return take(id, kind, heading, none ? null : value);
    }

    /** Takes a column; like {@link #add}, but null is the only value for none. */
    Columns take(String id, ColumnKind kind, String heading, @Nullable Object value);

    /** Takes the description of the previous column, for docs/report-json.md. */
    default void doc(String doc) {}

    /** Takes a column that only tables for people have. */
    default void shown(ColumnKind kind, String heading, @Nullable Object value) {}

    /** Takes a column that is computed from others: readers of the report compute it again. */
    default Columns derived(String id, ColumnKind kind, @Nullable Object value) {
        return add(id, kind, "", value);
    }

    /** Takes whether a figure is estimated, and its error bound. */
    default void basis(boolean estimated, long boundNs) {
        add("basis", ColumnKind.BASIS, "", estimated)
                .doc("`measured` from intervals, or `estimated` from samples or counters");
        add("boundNs", ColumnKind.ERROR_NS, "", boundNs)
                .doc("how far an estimate may be off, either way, with 95 % confidence");
    }

    /** Takes the rows of a table inside this row. */
    default <T extends Record & Row> Columns rows(String id, Class<T> type, List<T> rows) {
        return this;
    }

    /** Takes the columns of a part of this row. */
    default <T extends Record & Row> void part(Class<T> type, T part) {
        part.columns(this);
    }

    /** Takes the start and the end of a stretch. */
    default void stretch(Stretch stretch) {
        add("startNs", ColumnKind.POINT, "", stretch.startNs()).doc("when it starts");
        add("endNs", ColumnKind.POINT, "", stretch.endNs()).doc("when it ends");
    }

    /** Takes the classes of a ledger with their times. */
    default void classes(Ledger ledger) {}
}
