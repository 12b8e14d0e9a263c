package io.inferscope.analyzer.activity;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.stream.IntStream;

/** What the rows of one host track hold. All sums are made in one pass: each row may be inside many others. */
final class Contents {
    private final Timeline timeline;
    private final int firstRow;
    private final long[] ownNs;
    private final int[] operators;

    /** The rows of API calls, ascending. */
    private final int[] calls;

    Contents(Timeline timeline, int track) {
        this.timeline = timeline;
        this.firstRow = timeline.firstRow(track);
        int endRow = timeline.endRow(track);
        this.ownNs = new long[endRow - firstRow];
        this.operators = new int[endRow - firstRow];
        this.calls = IntStream.range(firstRow, endRow)
                .filter(row -> timeline.kind(row).isApiCall())
                .toArray();
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
        int next = BinarySearch.first(0, calls.length, call -> calls[call] > row);
        return next < calls.length && timeline.startNs(calls[next]) < timeline.endNs(row);
    }
}
