package io.inferscope.timeline.importer;

import io.inferscope.timeline.Order;
import io.inferscope.timeline.importer.LaneAlignment.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Divides the operations of a graph into its replays. Replays of a graph do not overlap, and each node runs once in
 * each, so the n-th record of a node belongs to the n-th replay:
 *
 * <pre>
 * node 1   a      a      a
 * node 2     b      b      b      as many as launches
 * node 3    cc           c        inside a conditional node: by time
 * </pre>
 *
 * <p>A node with another number of records, because it is part of a conditional node or because records are missing,
 * belongs to the replay between whose first start and last end it starts; otherwise it is left out. If not even a
 * quarter of the nodes have one record per launch, the most frequent number of records counts, provided that all
 * replays begin with the same node. Nothing counts if a node has more records than there are launches, and some of them
 * outside of all replays.
 */
final class ReplayDivider {
    private static final int LEAST_SHARE = 4;

    private ReplayDivider() {}

    /** Returns the replays in order, the first started operation of each one in front. Operations are sorted by start. */
    static List<List<Entry>> of(List<Entry> operations, int launches) {
        Map<Long, Integer> counts = new HashMap<>();
        operations.forEach(one -> counts.merge(one.group(), 1, Integer::sum));
        Map<Integer, Integer> nodesByCount = new HashMap<>();
        counts.values().forEach(count -> nodesByCount.merge(count, 1, Integer::sum));
        if (counts.isEmpty()) {
            return List.of();
        }
        boolean complete = LEAST_SHARE * nodesByCount.getOrDefault(launches, 0) >= counts.size();
        int usual = complete
                ? launches
                : nodesByCount.entrySet().stream()
                        .min(Order.largestFirst())
                        .orElseThrow()
                        .getKey();
        List<List<Entry>> replays = new ArrayList<>();
        Map<Long, Integer> seen = new HashMap<>();
        List<Entry> others = new ArrayList<>();
        for (Entry one : operations) {
            if (counts.getOrDefault(one.group(), 0) != usual) {
                others.add(one);
                continue;
            }
            int replay = seen.merge(one.group(), 1, Integer::sum) - 1;
            if (replay < replays.size() - 1) {
                return List.of(); // Two replays overlap, so records are missing that other ones replaced.
            }
            if (replay == replays.size()) {
                replays.add(new ArrayList<>());
            }
            replays.get(replay).add(one);
        }
        Set<Long> first = new HashSet<>();
        replays.forEach(replay -> first.add(replay.get(0).group()));
        if (!complete && first.size() > 1) {
            return List.of();
        }
        List<Entry> outside = addByTime(replays, others);
        boolean more = outside.stream().anyMatch(one -> counts.getOrDefault(one.group(), 0) > launches);
        return more ? List.of() : replays; // A launch may be missing, and a record of each of the regular nodes.
    }

    /** Adds the operations that start inside a replay; returns the others. */
    private static List<Entry> addByTime(List<List<Entry>> replays, List<Entry> others) {
        int at = 0;
        List<Entry> outside = new ArrayList<>();
        long[] ends = replays.stream()
                .mapToLong(
                        replay -> replay.stream().mapToLong(Entry::endNs).max().orElseThrow())
                .toArray();
        for (Entry one : others) {
            while (at < ends.length && ends[at] <= one.startNs()) {
                at++;
            }
            if (at < ends.length && one.startNs() >= replays.get(at).get(0).startNs()) {
                replays.get(at).add(one);
            } else {
                outside.add(one);
            }
        }
        return outside;
    }
}
