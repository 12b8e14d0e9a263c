package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.WorkTables.SequenceFigures;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Sequences of operations that recur on a stream of the headline device: a fused kernel or a graph could replace them.
 * Sequences of 2 to 5 operations are examined; longer ones consist of these. A sequence is left out if listed sequences
 * contain most of its operations: it is a part of them, or the same loop with another first operation.
 */
final class SequenceTable {
    private static final int SHORTEST = 2;
    private static final int LONGEST = 5;
    private static final int LEAST_COUNT = 3;
    private static final int LARGEST = 10;

    private final Timeline timeline;

    /** The examined operations, stream by stream. */
    private final List<Integer> rows = new ArrayList<>();

    /** By a 64-bit hash of the names: two of some 10,000 sequences collide in one of 10^11 recordings. */
    private final Map<Long, Found> found = new HashMap<>();

    private long allNs;

    private SequenceTable(Timeline timeline) {
        this.timeline = timeline;
    }

    private static final class Found {
        final int length;

        /** Positions in {@link #rows} at which it begins. */
        final List<Integer> begins = new ArrayList<>();

        long ns;
        long gapNs;

        Found(int length) {
            this.length = length;
        }

        int lastEnd() {
            return begins.isEmpty() ? -1 : begins.get(begins.size() - 1) + length;
        }
    }

    /** Returns the sequences with most time. */
    static List<SequenceFigures> of(Analysis analysis) {
        SequenceTable table = new SequenceTable(analysis.timeline());
        analysis.headline()
                .ifPresent(device -> table.add(device, analysis.judged().stretch()));
        return table.figures();
    }

    private void add(DeviceActivity device, Stretch judged) {
        Map<Integer, List<Integer>> byStream = new LinkedHashMap<>();
        int count = 0;
        for (int i = 0; i < device.operationCount() && count < SequenceFigures.LOOKED_AT; i++) {
            int row = device.row(i);
            if (timeline.startNs(row) >= judged.startNs() && timeline.endNs(row) <= judged.endNs()) {
                count++;
                allNs += timeline.durationNs(row);
                byStream.computeIfAbsent(timeline.track(row), t -> new ArrayList<>())
                        .add(row);
            }
        }
        for (List<Integer> ofStream : byStream.values()) {
            rows.addAll(ofStream);
            for (int begin = rows.size() - ofStream.size(); begin < rows.size(); begin++) {
                long hash = 0;
                for (int length = 1; length <= Math.min(LONGEST, rows.size() - begin); length++) {
                    hash = (hash ^ timeline.nameId(rows.get(begin + length - 1))) * 0x9E3779B97F4A7C15L;
                    hash ^= hash >>> 29;
                    if (length >= SHORTEST) {
                        add(hash, begin, length);
                    }
                }
            }
        }
    }

    /** An occurrence that overlaps the one before does not count: a a a contains the pair a a once. */
    private void add(long hash, int begin, int length) {
        Found one = found.computeIfAbsent(hash, h -> new Found(length));
        if (begin < one.lastEnd()) {
            return;
        }
        one.begins.add(begin);
        for (int i = begin; i < begin + length; i++) {
            one.ns += timeline.durationNs(rows.get(i));
            one.gapNs += i == begin ? 0 : Math.max(0, timeline.startNs(rows.get(i)) - timeline.endNs(rows.get(i - 1)));
        }
    }

    private List<SequenceFigures> figures() {
        List<Found> all = found.values().stream()
                .filter(one -> one.begins.size() >= LEAST_COUNT)
                .sorted(Order.comparingLong((Found one) -> one.ns)
                        .reversed()
                        .thenComparing(one -> one.begins.get(0))
                        .thenComparing(one -> one.length))
                .toList();
        BitSet listed = new BitSet();
        List<SequenceFigures> figures = new ArrayList<>();
        for (Found one : all) {
            if (figures.size() < LARGEST && 2 * among(listed, one) <= one.length * one.begins.size()) {
                one.begins.forEach(begin -> listed.set(begin, begin + one.length));
                figures.add(new SequenceFigures(
                        names(one),
                        one.length,
                        one.begins.size(),
                        one.ns,
                        one.gapNs,
                        allNs == 0 ? 0 : (double) one.ns / allNs));
            }
        }
        return figures;
    }

    /** Returns how many of a sequence's operations are part of listed sequences. */
    private static int among(BitSet listed, Found one) {
        return one.begins.stream()
                .mapToInt(begin -> listed.get(begin, begin + one.length).cardinality())
                .sum();
    }

    private String names(Found one) {
        int begin = one.begins.get(0);
        return rows.subList(begin, begin + one.length).stream()
                .map(timeline::name)
                .collect(Collectors.joining("; "));
    }
}
