package io.inferscope.analyzer.activity;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.ColumnStore;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;

/** What the rows of one host track hold. Each sum is made in one pass when it is asked for: each row may be inside many others. */
final class Contents {
    private final Timeline timeline;
    private final int firstRow;
    private final int endRow;

    private final ColumnStore insideNs;
    private final ColumnStore operators;
    private boolean hasNs;
    private boolean hasOperators;

    /** The rows of API calls, ascending. */
    private final Lazy<int[]> calls = new Lazy<>(() -> rows(this::isCall));

    /** The rows of Python's frames, ascending. */
    private final Lazy<int[]> frames;

    /**
     * Looks at the rows of a track; {@code isFrame} tells whether a row is a frame of Python. The sums of all tracks
     * stand in the two columns, by row: nanoseconds of the rows directly inside it, and how many operators these are.
     */
    Contents(Timeline timeline, int track, IntPredicate isFrame, ColumnStore insideNs, ColumnStore operators) {
        this.timeline = timeline;
        this.firstRow = timeline.firstRow(track);
        this.endRow = timeline.endRow(track);
        this.frames = new Lazy<>(() -> rows(isFrame));
        this.insideNs = insideNs;
        this.operators = operators;
    }

    /** Adds an amount of each row of the track to the row directly around it. */
    private void sum(ColumnStore sums, IntToLongFunction amount) {
        for (int row = firstRow; row < endRow; row++) {
            int parent = timeline.parent(row);
            if (parent >= 0) {
                sums.set(parent, sums.get(parent) + amount.applyAsLong(row));
            }
        }
    }

    private boolean isCall(int row) {
        return timeline.kind(row).isApiCall();
    }

    /** Looks twice at each row, which is cheaper than an array that grows. */
    private int[] rows(IntPredicate isOne) {
        int count = 0;
        for (int row = firstRow; row < endRow; row++) {
            count += isOne.test(row) ? 1 : 0;
        }
        int[] found = new int[count];
        int next = 0;
        for (int row = firstRow; next < found.length; row++) {
            if (isOne.test(row)) {
                found[next++] = row;
            }
        }
        return found;
    }

    /** Returns a row's length without the rows directly inside it. */
    long ownNs(int row) {
        if (!hasNs) {
            hasNs = true;
            sum(insideNs, timeline::durationNs);
        }
        return timeline.durationNs(row) - insideNs.get(row);
    }

    /** Returns how many operators are directly inside a row. */
    int operators(int row) {
        if (!hasOperators) {
            hasOperators = true;
            sum(operators, inside -> timeline.kind(inside) == RowKind.OPERATOR ? 1 : 0);
        }
        return (int) operators.get(row);
    }

    boolean hasCalls() {
        return calls.get().length > 0;
    }

    /** Returns whether an API call starts inside a row. */
    boolean hasCall(int row) {
        return isAnyIn(calls.get(), row);
    }

    boolean hasFrames() {
        return frames.get().length > 0;
    }

    /** Returns whether a frame of Python starts inside a row. */
    boolean hasFrame(int row) {
        return isAnyIn(frames.get(), row);
    }

    private boolean isAnyIn(int[] rows, int around) {
        int next = BinarySearch.first(0, rows.length, i -> rows[i] > around);
        return next < rows.length && timeline.startNs(rows[next]) < timeline.endNs(around);
    }
}
