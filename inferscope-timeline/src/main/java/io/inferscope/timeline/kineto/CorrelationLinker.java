package io.inferscope.timeline.kineto;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * Joins device operations to the API calls that submitted them, by correlation id.
 *
 * <p>Ids are unique per process only, and a device operation does not say its process. Where several calls carry one id, the last
 * one that started before the operation did is meant.
 */
final class CorrelationLinker {
    private final IntToLongFunction startNs;
    private final Map<Long, List<Call>> calls = new HashMap<>();
    private final List<Operation> operations = new ArrayList<>();

    private record Call(int row, boolean graph) {}

    private record Operation(int row, long correlation) {}

    /** Takes one edge. */
    interface Edges {
        void link(LinkKind kind, int from, int to, int confidencePercent);
    }

    /** Makes a linker of rows that start at {@code startNs}. */
    CorrelationLinker(IntToLongFunction startNs) {
        this.startNs = startNs;
    }

    void clear() {
        calls.clear();
        operations.clear();
    }

    void add(int row, RowKind kind, long correlation) {
        if (kind.isApiCall()) {
            calls.computeIfAbsent(correlation, c -> new ArrayList<>(1))
                    .add(new Call(row, kind == RowKind.GRAPH_LAUNCH));
        } else if (kind.isDeviceOperation() || kind == RowKind.DEVICE_SYNC) {
            operations.add(new Operation(row, correlation));
        }
    }

    void link(Edges edges) {
        for (List<Call> candidates : calls.values()) {
            candidates.sort(Comparator.comparingLong(call -> startNs.applyAsLong(call.row)));
        }
        for (Operation operation : operations) {
            List<Call> candidates = calls.get(operation.correlation);
            if (candidates != null) {
                Call call = best(candidates, startNs.applyAsLong(operation.row));
                edges.link(
                        call.graph ? LinkKind.GRAPH_REPLAY : LinkKind.LAUNCH,
                        call.row,
                        operation.row,
                        candidates.size() == 1 ? 100 : 50);
            }
        }
    }

    /** Returns the last call that starts at or before {@code operationNs}, else the first. Candidates are sorted by start. */
    private Call best(List<Call> candidates, long operationNs) {
        int low = 0;
        int high = candidates.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (startNs.applyAsLong(candidates.get(middle).row) <= operationNs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return candidates.get(Math.max(0, low - 1));
    }
}
