package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.WorkTables.SequenceFigures;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Operations that follow each other on a stream of the headline device again and again: what a fused kernel or a graph could replace. Runs of 2 to 5 are
 * looked at, since longer ones consist of them. One that only ever occurs inside a longer one is left out.
 */
final class SequenceTable {
    private static final int SHORTEST = 2;
    private static final int LONGEST = 5;
    private static final int LEAST_COUNT = 3;
    private static final int LARGEST = 10;

    /** Enough for what recurs in any loop. */
    private static final int MOST_OPERATIONS = 10_000;

    private final Timeline timeline;

    /** By a hash of the names, of 64 bits: two of some 10,000 runs are taken for one another in one of 10^11 recordings. */
    private final Map<Long, Found> found = new HashMap<>();

    private long allNs;

    private SequenceTable(Timeline timeline) {
        this.timeline = timeline;
    }

    private static final class Found {
        final List<Integer> names;
        long count;
        long ns;
        long gapNs;
        int lastEnd = -1;

        Found(List<Integer> names) {
            this.names = names;
        }
    }

    /** Returns the sequences with most time. */
    static List<SequenceFigures> of(Analysis analysis) {
        SequenceTable table = new SequenceTable(analysis.timeline());
        analysis.headline().ifPresent(table::add);
        return table.figures();
    }

    private void add(DeviceActivity device) {
        Map<Integer, List<Integer>> byStream = new HashMap<>();
        for (int i = 0; i < Math.min(MOST_OPERATIONS, device.operationCount()); i++) {
            int row = device.row(i);
            allNs += timeline.durationNs(row);
            byStream.computeIfAbsent(timeline.track(row), t -> new ArrayList<>())
                    .add(row);
        }
        int begin = 0;
        for (List<Integer> rows : byStream.values()) {
            for (int i = 0; i < rows.size(); i++) {
                long hash = 0;
                for (int length = 1; length <= Math.min(LONGEST, rows.size() - i); length++) {
                    hash = (hash ^ timeline.nameId(rows.get(i + length - 1))) * 0x9E3779B97F4A7C15L;
                    hash ^= hash >>> 29;
                    if (length >= SHORTEST) {
                        add(hash, rows.subList(i, i + length), begin + i);
                    }
                }
            }
            begin += rows.size();
        }
    }

    /** Occurrences that overlap the one before count once: of a a a, the pair a a is there once. */
    private void add(long hash, List<Integer> rows, int at) {
        Found one = found.computeIfAbsent(
                hash, h -> new Found(rows.stream().map(timeline::nameId).toList()));
        if (at < one.lastEnd) {
            return;
        }
        one.lastEnd = at + rows.size();
        one.count++;
        for (int i = 0; i < rows.size(); i++) {
            one.ns += timeline.durationNs(rows.get(i));
            one.gapNs += i == 0 ? 0 : Math.max(0, timeline.startNs(rows.get(i)) - timeline.endNs(rows.get(i - 1)));
        }
    }

    private List<SequenceFigures> figures() {
        List<Found> all = found.values().stream()
                .filter(one -> one.count >= LEAST_COUNT)
                .sorted(Comparator.comparingLong((Found one) -> one.ns)
                        .reversed()
                        .thenComparing(one -> names(one.names)))
                .toList();
        List<Found> kept = new ArrayList<>();
        for (Found one : all) {
            boolean told = kept.stream().anyMatch(other -> shares(other.names, one.names));
            if (!told && kept.size() < LARGEST) {
                kept.add(one);
            }
        }
        return kept.stream()
                .map(one -> new SequenceFigures(
                        names(one.names),
                        one.names.size(),
                        one.count,
                        one.ns,
                        one.gapNs,
                        allNs == 0 ? 0 : (double) one.ns / allNs))
                .toList();
    }

    /** Returns whether two sequences are parts of one: one contains the other, or the end of one is the begin of the other. */
    private static boolean shares(List<Integer> some, List<Integer> other) {
        return IntStream.range(-other.size() + SHORTEST, some.size() - SHORTEST + 1)
                .anyMatch(shift -> IntStream.range(Math.max(0, shift), Math.min(some.size(), shift + other.size()))
                        .allMatch(i -> some.get(i).equals(other.get(i - shift))));
    }

    private String names(List<Integer> sequence) {
        return sequence.stream().map(timeline::text).collect(Collectors.joining("; "));
    }
}
