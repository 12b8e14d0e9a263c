package io.inferscope.analyzer.model;

import io.inferscope.timeline.files.KnowledgeTable;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A table of the report, and the type of its rows. A new table is a row type with its id beside it, and one line in
 * {@code io.inferscope.analyzer.tables.Tables}, which says how the rows are made. Where its name is no title, or it needs
 * an introduction, people are told a row of {@code tables.tsv}. The JSON report, its reader, and the tables for people
 * follow.
 *
 * @param <R> its rows
 */
public final class TableId<R extends Record & Row> {
    /** Tables of the object {@code criticalPath} of the JSON report. */
    private static final String OF_PATH = "criticalPath.";

    private final String name;
    private final Class<R> row;

    TableId(String name, Class<R> row) {
        this.name = name;
        this.row = row;
    }

    /** Returns its name in the JSON report; names of tables of the critical path begin with {@code criticalPath.}. */
    public String name() {
        return name;
    }

    /** Returns whether it is one of the tables of the critical path. */
    public boolean isOfPath() {
        return name.startsWith(OF_PATH);
    }

    /** Returns its name in the object of the JSON report that holds it. */
    public String member() {
        return isOfPath() ? name.substring(OF_PATH.length()) : name;
    }

    public Class<R> row() {
        return row;
    }

    /** Returns its title for people: that of {@code tables.tsv}, else its name in words. */
    public String title() {
        String title = words(1);
        return title.isEmpty()
                ? Units.capitalised(member().replaceAll("(?=[A-Z])", " ").toLowerCase(Locale.ROOT))
                : title;
    }

    /** Returns a sentence or two about it for people; empty if it needs none or depends on the report. */
    public String intro() {
        return words(2);
    }

    private String words(int column) {
        String[] cells = Words.BY_NAME.getOrDefault(name, new String[0]);
        return cells.length > column ? cells[column] : "";
    }

    /** Read when the first table is shown to people. */
    private static final class Words {
        static final Map<String, String[]> BY_NAME =
                KnowledgeTable.read(TableId.class, "tables.tsv", cells -> cells).stream()
                        .collect(Collectors.toMap(cells -> cells[0], cells -> cells));
    }

    @Override
    public String toString() {
        return name;
    }
}
