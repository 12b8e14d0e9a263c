package io.inferscope.timeline.kineto;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
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
            calls.merge(correlation, List.of(row), CorrelationLinker::joined);
        } else if (kind.isDeviceOperation() || kind == RowKind.DEVICE_SYNC) {
            operations.add(row);
        }
    }

    private static List<Integer> joined(List<Integer> a, List<Integer> b) {
        List<Integer> both = new ArrayList<>(a);
        both.addAll(b);
        return both;
    }

    void link() {
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

    private int best(List<Integer> candidates, long startNs) {
        int best = candidates.get(0);
        for (int candidate : candidates) {
            long candidateNs = builder.startNsAt(candidate);
            long bestNs = builder.startNsAt(best);
            boolean precedes = candidateNs <= startNs;
            if (precedes ? bestNs > startNs || candidateNs > bestNs : bestNs > startNs && candidateNs < bestNs) {
                best = candidate;
            }
        }
        return best;
    }
}
