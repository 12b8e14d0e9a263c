package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.function.Predicate;

/**
 * Which row of a track is the innermost one at every instant, among the rows of some kinds: the one that started last among those that
 * have not ended. Rows that only overlap are thereby handled too.
 *
 * <pre>
 *   rows       [ scope ............................ ]
 *                 [ operator ......... ]   [ call ]
 *                    [ call ]
 *   innermost  sss oo cccc ooooooooooooo ss cccccc sss
 * </pre>
 *
 * <p>Read as a cursor: {@link #begin}, then {@link #next} until it returns false. The pieces are not stored, they would take 40 bytes
 * per row of a trace of Python calls. Stored is what was open beneath each row when it started: from the last row that started, that
 * chain leads through everything that may be open still. A row that was found to have ended is not looked at again while the stretches
 * that are asked for follow each other in time, so that all of them together take one pass.
 */
final class Segments {
    private final Timeline timeline;

    /** The rows, in the order in which they start, and for each the position of the row open beneath it, -1 for none. */
    private final int[] rows;

    private final int[] beneath;
    private final long lastEndNs;

    /** The cursor: the position of the last row that starts no later, and of the innermost row not known to have ended. */
    private int last = -1;

    private int open = -1;
    private long cursorNs = Long.MIN_VALUE;
    private long stopNs = Long.MIN_VALUE;

    private long pieceStartNs;
    private int pieceRow = -1;

    Segments(Timeline timeline, int track, Predicate<RowKind> kinds) {
        this.timeline = timeline;
        int count = 0;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            count += counts(row, kinds) ? 1 : 0;
        }
        rows = new int[count];
        beneath = new int[count];
        lastEndNs = count == 0 ? Long.MIN_VALUE : stack(track, kinds);
    }

    private boolean counts(int row, Predicate<RowKind> kinds) {
        return kinds.test(timeline.kind(row)) && timeline.durationNs(row) > 0;
    }

    /** Fills {@link #rows} and {@link #beneath}; returns when the last row ends. */
    private long stack(int track, Predicate<RowKind> kinds) {
        long endNs = Long.MIN_VALUE;
        int count = 0;
        int top = -1;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (counts(row, kinds)) {
                while (top >= 0 && timeline.endNs(rows[top]) <= timeline.startNs(row)) {
                    top = beneath[top];
                }
                rows[count] = row;
                beneath[count] = top;
                top = count++;
                endNs = Math.max(endNs, timeline.endNs(row));
            }
        }
        return endNs;
    }

    /** Asks for the pieces of {@code [fromNs, toNs)}, earliest first. */
    void begin(long fromNs, long toNs) {
        int found = lastStartingBy(fromNs, fromNs >= cursorNs ? last : -1);
        if (fromNs < cursorNs || found != last) {
            last = found;
            open = found;
        }
        cursorNs = fromNs;
        stopNs = toNs;
    }

    /** Returns the position of the last row that starts no later than {@code ns}, known to be {@code least} or behind it. */
    private int lastStartingBy(long ns, int least) {
        int low = least;
        int high = rows.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (timeline.startNs(rows[middle]) <= ns) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Moves on to the next piece; returns false when there is none. */
    boolean next() {
        if (cursorNs >= stopNs) {
            return false;
        }
        while (open >= 0 && timeline.endNs(rows[open]) <= cursorNs) {
            open = beneath[open];
        }
        long nextStartNs = last + 1 < rows.length ? timeline.startNs(rows[last + 1]) : Long.MAX_VALUE;
        pieceStartNs = cursorNs;
        pieceRow = open < 0 ? -1 : rows[open];
        cursorNs = Math.min(stopNs, Math.min(nextStartNs, open < 0 ? Long.MAX_VALUE : timeline.endNs(pieceRow)));
        while (last + 1 < rows.length && timeline.startNs(rows[last + 1]) <= cursorNs) {
            open = ++last;
        }
        return true;
    }

    /** Returns when the piece at hand starts, in ns. */
    long pieceStartNs() {
        return pieceStartNs;
    }

    /** Returns when the piece at hand ends, in ns. */
    long pieceEndNs() {
        return cursorNs;
    }

    /** Returns the innermost row of the piece at hand, -1 where no row is. */
    int pieceRow() {
        return pieceRow;
    }

    boolean isEmpty() {
        return rows.length == 0;
    }

    /** Returns when the first row starts, {@link Long#MAX_VALUE} without rows. */
    long startNs() {
        return rows.length == 0 ? Long.MAX_VALUE : timeline.startNs(rows[0]);
    }

    /** Returns when the last row ends, {@link Long#MIN_VALUE} without rows. */
    long endNs() {
        return lastEndNs;
    }
}
