package io.inferscope.analyzer.activity;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
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
    private final int[] frames;

    /** Looks at the rows of a track; {@code isFrame} tells whether a row is a frame of Python. */
    Contents(Timeline timeline, int track, IntPredicate isFrame) {
        this.timeline = timeline;
        this.firstRow = timeline.firstRow(track);
        int endRow = timeline.endRow(track);
        this.ownNs = new long[endRow - firstRow];
        this.operators = new int[endRow - firstRow];
        this.calls = IntStream.range(firstRow, endRow)
                .filter(row -> timeline.kind(row).isApiCall())
                .toArray();
        this.frames = IntStream.range(firstRow, endRow).filter(isFrame).toArray();
        for (int row = firstRow; row < endRow; row++) {
            ownNs[row - firstRow] += timeline.durationNs(row);
            int parent = timeline.parent(row);
            if (parent >= 0) {
                ownNs[parent - firstRow] -= timeline.durationNs(row);
                operators[parent - firstRow] += timeline.kind(row) == RowKind.OPERATOR ? 1 : 0;
            }
        }
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
        return frames.length > 0;
    }

    /** Returns whether a frame of Python starts inside a row. */
    boolean hasFrame(int row) {
        return isAnyIn(frames, row);
    }

    private boolean isAnyIn(int[] rows, int around) {
        int next = BinarySearch.first(0, rows.length, i -> rows[i] > around);
        return next < rows.length && timeline.startNs(rows[next]) < timeline.endNs(around);
    }
}
