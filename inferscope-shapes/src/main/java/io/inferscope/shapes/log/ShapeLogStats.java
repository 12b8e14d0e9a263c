package io.inferscope.shapes.log;

import java.util.ArrayList;
import java.util.List;

/**
 * How a shape log could be read: nothing is lost silently.
 *
 * @param bytes read, after inflation
 * @param lines lines, blank ones included
 * @param blankLines lines without content
 * @param malformedLines number of lines that are not rows; these are left out
 * @param malformed the first malformed lines, at most {@link #PLACES}
 * @param damage why the log was not read to its end: a cut or damaged gzip stream; empty when it was read to its end
 */
public record ShapeLogStats(
        long bytes, long lines, long blankLines, long malformedLines, List<Place> malformed, String damage) {
    /** Malformed lines that are named, at most. */
    public static final int PLACES = 20;

    public ShapeLogStats {
        malformed = List.copyOf(malformed);
    }

    /**
     * A malformed line.
     *
     * @param line its number, from 1
     * @param offsetBytes where it begins in the inflated log
     * @param problem what is wrong with it
     */
    public record Place(long line, long offsetBytes, String problem) {
        /** Returns the place in words: {@code line 7 (byte 1234): cut short}. */
        public String text() {
            return "line " + line + " (byte " + offsetBytes + "): " + problem;
        }
    }

    /** Returns whether every line was used. */
    public boolean isWhole() {
        return malformedLines == 0 && damage.isEmpty();
    }

    /** Counts while reading. */
    static final class Builder {
        private final List<Place> places = new ArrayList<>();
        private long malformed;
        private long blank;

        void blank() {
            blank++;
        }

        void malformed(long line, long offsetBytes, String problem) {
            malformed++;
            if (places.size() < PLACES) {
                places.add(new Place(line, offsetBytes, problem));
            }
        }

        ShapeLogStats build(long bytes, long lines, String damage) {
            return new ShapeLogStats(bytes, lines, blank, malformed, places, damage);
        }
    }
}
