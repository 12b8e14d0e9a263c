package io.inferscope.batch.summary;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of the overview.
 *
 * @param title its title
 * @param intro text above it, may be empty
 * @param columns what its columns are
 * @param rows one cell per column each
 */
record SummaryTable(String title, String intro, List<Column> columns, List<List<Cell>> rows) {
    /** What a column holds, which decides how it is laid out. */
    enum Kind {
        /** Text of any length: its lines may break anywhere. */
        TEXT,
        /** A word, a name or a path: its lines do not break. */
        WORD,
        /** A number with its unit: to the right, so that digits stand below each other. */
        NUMBER
    }

    /** A column with its title. */
    record Column(String title, Kind kind) {}

    /**
     * A piece of text.
     *
     * @param text what it says, as it is: nothing in it is markup
     * @param link the file or folder below the output folder that it leads to, empty for none; made of names that need no escaping
     */
    record Part(String text, String link) {}

    /**
     * The contents of one cell; its parts follow each other, separated by commas.
     *
     * @param parts may be none
     * @param bad whether it is about a failure
     */
    record Cell(List<Part> parts, boolean bad) {
        static Cell of(String text) {
            return of(text, "");
        }

        static Cell of(String text, String link) {
            return new Cell(List.of(new Part(text, link)), false);
        }

        static Cell of(long number) {
            return of(Long.toString(number));
        }

        Cell bad(boolean is) {
            return new Cell(parts, is);
        }

        /** Returns a cell with the first {@code most} of some parts, and how many more there are. */
        static Cell first(int most, List<Part> parts) {
            List<Part> shown = new ArrayList<>(parts.subList(0, Math.min(most, parts.size())));
            if (shown.size() < parts.size()) {
                shown.add(new Part((parts.size() - shown.size()) + " more", ""));
            }
            return new Cell(shown, false);
        }
    }

    static Column text(String title) {
        return new Column(title, Kind.TEXT);
    }

    static Column word(String title) {
        return new Column(title, Kind.WORD);
    }

    static Column number(String title) {
        return new Column(title, Kind.NUMBER);
    }
}
