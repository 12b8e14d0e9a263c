package io.inferscope.report.tables;

import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;

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

    /**
     * Returns a table with a row for each item.
     *
     * @param row gives the cells of an item, each with its column; the columns must be the same for all items
     */
    public static <T> Table of(String title, String intro, Collection<T> items, BiConsumer<Cells, T> row) {
        Cells cells = new Cells();
        List<List<String>> rows = new ArrayList<>();
        for (T item : items) {
            cells.columns.clear();
            row.accept(cells, item);
            rows.add(List.copyOf(cells.texts));
            cells.texts.clear();
        }
        return new Table(title, intro, cells.columns, rows);
    }

    /** Takes the cells of a row in their order, each with the heading and the kind of its column. */
    public static final class Cells {
        private final List<Column> columns = new ArrayList<>();
        private final List<String> texts = new ArrayList<>();

        private Cells() {}

        Cells add(String heading, Kind kind, String text) {
            columns.add(new Column(heading, kind));
            texts.add(text);
            return this;
        }

        public Cells words(String heading, String words) {
            return add(heading, Kind.WORDS, words);
        }

        public Cells name(String heading, String name) {
            return add(heading, Kind.NAME, name);
        }

        /** Takes a number with its unit, as text. */
        public Cells number(String heading, String text) {
            return add(heading, Kind.NUMBER, text);
        }

        public Cells count(String heading, long count) {
            return number(heading, Units.count(count));
        }

        /** Takes a length of time, in ns. */
        public Cells time(String heading, long ns) {
            return number(heading, Units.duration(ns));
        }
    }

    public static Column words(String name) {
        return new Column(name, Kind.WORDS);
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
