package io.inferscope.timeline.kineto;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Joins device operations to the API calls that submitted them, by correlation id.
 *
 * <p>Ids are unique per process only, and a device operation does not say its process. Where several calls carry one id, the last
 * one that started before the operation did is meant.
 */
final class CorrelationLinker {
    private final TimelineBuilder builder;
    private final Map<Long, List<Integer>> calls = new HashMap<>();
    private final List<Integer> operations = new ArrayList<>();

    CorrelationLinker(TimelineBuilder builder) {
        this.builder = builder;
    }

    void clear() {
        calls.clear();
        operations.clear();
    }

    void add(int row, RowKind kind, long correlation) {
        if (kind.isApiCall()) {
            calls.computeIfAbsent(correlation, c -> new ArrayList<>(1)).add(row);
        } else if (kind.isDeviceOperation() || kind == RowKind.DEVICE_SYNC) {
            operations.add(row);
        }
    }

    void link() {
        for (List<Integer> candidates : calls.values()) {
            candidates.sort(Comparator.comparingLong(builder::startNsAt));
        }
        for (int operation : operations) {
            List<Integer> candidates = calls.get(builder.correlationAt(operation));
            if (candidates != null) {
                int call = best(candidates, builder.startNsAt(operation));
                boolean graph = builder.kindAt(call) == RowKind.GRAPH_LAUNCH;
                builder.link(
                        graph ? LinkKind.GRAPH_REPLAY : LinkKind.LAUNCH,
                        call,
                        operation,
                        candidates.size() == 1 ? 100 : 50);
            }
        }
    }

    /** Returns the last call that starts at or before {@code startNs}, else the first. Candidates are sorted by start. */
    private int best(List<Integer> candidates, long startNs) {
        int low = 0;
        int high = candidates.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (builder.startNsAt(candidates.get(middle)) <= startNs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return candidates.get(Math.max(0, low - 1));
    }
}
