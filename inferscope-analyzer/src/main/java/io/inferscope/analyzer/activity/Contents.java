package io.inferscope.analyzer.activity;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** What the rows of one host track hold. All sums are made in one pass: each row may be inside many others. */
final class Contents {
    private final Timeline timeline;
    private final int firstRow;
    private final long[] ownNs;
    private final int[] operators;

    /** The rows of API calls, ascending. */
    private final int[] calls;

    /** The rows of Python's frames, ascending. */
    private final Lazy<int[]> frames;

    /** Looks at the rows of a track; {@code isFrame} tells whether a row is a frame of Python. */
    Contents(Timeline timeline, int track, IntPredicate isFrame) {
        this.timeline = timeline;
        this.firstRow = timeline.firstRow(track);
        int endRow = timeline.endRow(track);
        this.ownNs = new long[endRow - firstRow];
        this.operators = new int[endRow - firstRow];
        int[] called = new int[endRow - firstRow];
        int callCount = 0;
        for (int row = firstRow; row < endRow; row++) {
            RowKind kind = timeline.kind(row);
            long ns = timeline.durationNs(row);
            int parent = timeline.parent(row);
            ownNs[row - firstRow] += ns;
            if (parent >= 0) {
                ownNs[parent - firstRow] -= ns;
                operators[parent - firstRow] += kind == RowKind.OPERATOR ? 1 : 0;
            }
            if (kind.isApiCall()) {
                called[callCount++] = row;
            }
        }
        this.calls = Arrays.copyOf(called, callCount);
        this.frames = new Lazy<>(
                () -> IntStream.range(firstRow, endRow).filter(isFrame).toArray());
    }

    /** Returns a row's length without the rows directly inside it. */
    long ownNs(int row) {
        return ownNs[row - firstRow];
    }

    /** Returns how many operators are directly inside a row. */
    int operators(int row) {
        return operators[row - firstRow];
    }

    boolean hasCalls() {
        return calls.length > 0;
    }

    /** Returns whether an API call starts inside a row. */
    boolean hasCall(int row) {
        return isAnyIn(calls, row);
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
