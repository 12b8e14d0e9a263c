package io.inferscope.analyzer.activity;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Finds the innermost row of a track at every instant, among the rows of some kinds: the row that started last among
 * those that have not ended. This definition also covers rows that overlap without nesting.
 *
 * <pre>
 *   rows       [ scope ............................ ]
 *                 [ operator ......... ]   [ call ]
 *                    [ call ]
 *   innermost  sss oo cccc ooooooooooooo ss cccccc sss
 * </pre>
 *
 * <p>Read it as a cursor: {@link #begin}, then {@link #next} until it returns false. Pieces are not stored, because
 * they would take 40 bytes per row of a trace of Python calls. Stored is, for each row, the row that was open when it
 * started: this chain, from the row that started last, leads through all rows that may still be open. While the
 * requested intervals follow each other in time, a row found to have ended is not examined again, so all intervals
 * together take one pass.
 */
final class InnermostRows {
    /** Bound of the time before the first row and after the last one. Twice this value does not overflow. */
    private static final long NO_END = Long.MAX_VALUE / 4;

    private final Timeline timeline;

    /** The rows in the order of their starts. */
    private final int[] rows;

    /** By position in {@link #rows}: the position of the row that was open when this row started, -1 for none. */
    private final int[] beneath;

    private int count;
    private long lastEndNs = Long.MIN_VALUE;
    private long coveredNs;

    /** The cursor: position of the last row that has started. */
    private int last = -1;

    /** The cursor: position of the innermost row not known to have ended. */
    private int open = -1;

    private long cursorNs = Long.MIN_VALUE;
    private long stopNs = Long.MIN_VALUE;

    /**
     * Start of the next row and end of the open one, kept so that columns are read once per row, not once per piece.
     */
    private long nextStartNs;

    private long openEndNs;

    /**
     * The open row and those beneath it, as far as the cursor went over them, with their ends; the open row is the
     * last.
     */
    private int[] stack = new int[16];

    private long[] stackEndsNs = new long[16];
    private int depth;
    private long pieceStartNs;
    private int pieceRow = -1;
    private int wholePiece = -1;

    /** Whether the next piece starts where a row starts or ends. */
    private boolean isAtEdge;

    /** Takes the rows of some kinds; the track has at most {@code most} of them. */
    InnermostRows(Timeline timeline, int track, Predicate<RowKind> kinds, int most) {
        this.timeline = timeline;
        rows = new int[most];
        beneath = new int[most];
        if (most > 0) {
            stack(track, kinds);
        }
        moveTo(-1);
    }

    private InnermostRows(InnermostRows other) {
        timeline = other.timeline;
        rows = other.rows;
        beneath = other.beneath;
        count = other.count;
        lastEndNs = other.lastEndNs;
        coveredNs = other.coveredNs;
        moveTo(-1);
    }

    /** Returns a cursor of its own over the same rows. */
    InnermostRows again() {
        return new InnermostRows(this);
    }

    private void stack(int track, Predicate<RowKind> kinds) {
        boolean[] wanted = new boolean[RowKind.values().length];
        for (RowKind kind : RowKind.values()) {
            wanted[kind.ordinal()] = kinds.test(kind);
        }
        int end = timeline.endRow(track);
        for (int row = timeline.firstRow(track); row < end; row++) {
            if (!wanted[timeline.kind(row).ordinal()]) {
                continue;
            }
            long startNs = timeline.startNs(row);
            long endNs = startNs + timeline.durationNs(row);
            if (endNs > startNs) {
                while (depth > 0 && stackEndsNs[depth - 1] <= startNs) {
                    depth--;
                }
                rows[count] = row;
                beneath[count] = depth == 0 ? -1 : stack[depth - 1];
                push(count++, endNs);
                coveredNs += Math.max(0, endNs - Math.max(startNs, lastEndNs));
                lastEndNs = Math.max(lastEndNs, endNs);
            }
        }
    }

    /** Starts reading the pieces of {@code [fromNs, toNs)}, earliest first. */
    void begin(long fromNs, long toNs) {
        boolean onwards = fromNs >= cursorNs;
        int found = onwards && fromNs < nextStartNs ? last : lastStartingBy(fromNs, onwards ? last : -1);
        if (!onwards || found != last) {
            moveTo(found);
        }
        cursorNs = fromNs;
        stopNs = toNs;
        isAtEdge = false;
    }

    /** Returns the innermost row at an instant, as {@link #pieceRow} does. */
    int rowAt(long instantNs) {
        begin(instantNs, instantNs + 1);
        next();
        return pieceRow();
    }

    /** Moves the cursor to a row that has just started, which is then the innermost one. */
    private void moveTo(int position) {
        last = position;
        nextStartNs = position + 1 < count ? timeline.startNs(rows[position + 1]) : Long.MAX_VALUE;
        depth = 0;
        open(position);
    }

    /** Moves the cursor to the next row, which starts at {@link #nextStartNs}. */
    private void moveOn() {
        int beneathNext = beneath[++last];
        while (depth > 0 && stack[depth - 1] != beneathNext) {
            depth--;
        }
        push(last, nextStartNs + timeline.durationNs(rows[last]));
        nextStartNs = last + 1 < count ? timeline.startNs(rows[last + 1]) : Long.MAX_VALUE;
    }

    private void push(int position, long endNs) {
        if (depth == stack.length) {
            stack = Arrays.copyOf(stack, 2 * depth);
            stackEndsNs = Arrays.copyOf(stackEndsNs, 2 * depth);
        }
        stack[depth] = position;
        stackEndsNs[depth++] = endNs;
        open = position;
        openEndNs = endNs;
    }

    private void open(int position) {
        push(position, position < 0 ? Long.MAX_VALUE : timeline.endNs(rows[position]));
    }

    /** Returns to the row beneath the open one. */
    private void close() {
        int beneathOpen = beneath[open];
        if (--depth > 0) {
            open = stack[depth - 1];
            openEndNs = stackEndsNs[depth - 1];
        } else {
            open(beneathOpen);
        }
    }

    /**
     * Returns the position of the last row that starts no later than {@code ns}, known to be {@code least} or behind
     * it.
     */
    private int lastStartingBy(long ns, int least) {
        int low = least;
        int high = count - 1;
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
        while (openEndNs <= cursorNs) {
            close();
        }
        pieceStartNs = cursorNs;
        pieceRow = open < 0 ? -1 : rows[open];
        long edgeNs = Math.min(nextStartNs, openEndNs);
        wholePiece = isAtEdge && edgeNs <= stopNs ? pieceNumber() : -1;
        isAtEdge = edgeNs <= stopNs;
        cursorNs = Math.min(stopNs, edgeNs);
        while (nextStartNs <= cursorNs && last + 1 < count) {
            moveOn();
        }
        return true;
    }

    /** Two numbers for each row that has started: of the piece in which it is the innermost one, and of the next. */
    private int pieceNumber() {
        if (last < 0) {
            return -1;
        }
        if (open == last) {
            return 2 * last;
        }
        return open == beneath[last] ? 2 * last + 1 : -1;
    }

    /**
     * Returns the number of the current piece, the same whenever it is read, from 0 to below {@link #mostPieces}; -1 if
     * the interval of {@link #begin} may cut it, or if it has none.
     */
    int wholePiece() {
        return wholePiece;
    }

    int mostPieces() {
        return 2 * count;
    }

    /**
     * Returns the length of the whole piece around an instant, in ns, independent of the interval of {@link #begin}.
     * Moves the cursor.
     */
    long wholeNs(long atNs) {
        return wholeEndNs(atNs) - wholeStartNs();
    }

    /** Returns when the whole piece around an instant ends, in ns. Moves the cursor. */
    long wholeEndNs(long atNs) {
        begin(atNs, atNs + 1);
        while (openEndNs <= atNs) {
            close();
        }
        return Math.min(NO_END, Math.min(nextStartNs, openEndNs));
    }

    /** Returns when the piece of the last call of {@link #wholeEndNs} starts, in ns. */
    long wholeStartNs() {
        // The piece began when the last started row began, or when the last row above the innermost one ended.
        long startNs = last < 0 ? -NO_END : timeline.startNs(rows[last]);
        for (int position = last; position != open; position = beneath[position]) {
            startNs = Math.max(startNs, timeline.endNs(rows[position]));
        }
        return startNs;
    }

    /** Returns when the current piece starts, in ns. */
    long pieceStartNs() {
        return pieceStartNs;
    }

    /** Returns when the current piece ends, in ns. */
    long pieceEndNs() {
        return cursorNs;
    }

    /** Returns the innermost row of the current piece, -1 for none. */
    int pieceRow() {
        return pieceRow;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns when the first row starts, {@link Long#MAX_VALUE} without rows. */
    long startNs() {
        return count == 0 ? Long.MAX_VALUE : timeline.startNs(rows[0]);
    }

    /** Returns the time that any row covers, in ns. */
    long coveredNs() {
        return coveredNs;
    }

    /** Returns when the last row ends, {@link Long#MIN_VALUE} without rows. */
    long endNs() {
        return lastEndNs;
    }
}
