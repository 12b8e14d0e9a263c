package io.inferscope.batch.summary;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of the overview.
 *
 * @param title its title
 * @param intro text above it, may be empty
 * @param columns title and kind of each column
 * @param rows one cell per column each
 */
record SummaryTable(String title, String intro, List<Column> columns, List<List<Cell>> rows) {
    /** The kind of text in a column, which decides about its layout. */
    enum Kind {
        /** Text of any length: its lines may break anywhere. */
        TEXT,
        /** A word, a name or a path; never broken into lines. */
        WORD,
        /** A number with its unit; aligned to the right, so that digits stand below each other. */
        NUMBER
    }

    record Column(String title, Kind kind) {}

    /**
     * A piece of text.
     *
     * @param text plain text, not markup
     * @param link path below the output folder to which the text links, empty for none; its characters need no escaping
     */
    record Part(String text, String link) {}

    /**
     * The contents of one cell; its parts follow each other, separated by commas.
     *
     * @param parts may be empty
     * @param bad whether the cell shows a failure
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

        /** Returns a cell with the first {@code most} of the parts and the number of the others. */
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
