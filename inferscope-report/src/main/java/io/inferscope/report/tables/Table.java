package io.inferscope.report.tables;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A table of a report as plain text, without markup.
 *
 * @param title its heading
 * @param intro an explanation for readers; may be empty
 * @param columns its columns
 * @param rows its rows, one text per column, not yet cleaned
 */
public record Table(String title, String intro, List<Column> columns, List<List<String>> rows) {
    public enum Kind {
        /** Words, possibly with names in them. */
        WORDS,
        /** A name from the trace, or nothing. */
        NAME,
        /** A number with its unit. */
        NUMBER
    }

    public record Column(String name, Kind kind) {}

    /** Copies the lists and checks that every row has all columns. */
    public Table {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        for (List<String> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException(
                        title + ": " + row.size() + " cells in " + columns.size() + " columns");
            }
        }
    }

    /** Returns columns, group by group. */
    @SafeVarargs
    public static List<Column> columns(List<Column>... groups) {
        List<Column> columns = new ArrayList<>();
        for (List<Column> group : groups) {
            columns.addAll(group);
        }
        return columns;
    }

    public static List<Column> texts(String... names) {
        return Arrays.stream(names).map(Table::words).toList();
    }

    public static List<Column> names(String... names) {
        return Arrays.stream(names).map(Table::name).toList();
    }

    public static List<Column> numbers(String... names) {
        return Arrays.stream(names).map(Table::number).toList();
    }

    public static Column words(String name) {
        return new Column(name, Kind.WORDS);
    }

    public static Column name(String name) {
        return new Column(name, Kind.NAME);
    }

    public static Column number(String name) {
        return new Column(name, Kind.NUMBER);
    }

    /** Returns the table with its first {@code count} rows. */
    public Table first(int count) {
        return count >= rows.size() ? this : new Table(title, intro, columns, rows.subList(0, Math.max(0, count)));
    }

    Table renamed(String heading, String other) {
        List<Column> renamed = columns.stream()
                .map(column -> column.name().equals(heading) ? new Column(other, column.kind()) : column)
                .toList();
        return new Table(title, intro, renamed, rows);
    }
}
