package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds steps by the outermost operators of a thread that computes on the CPU. The operators are divided where the
 * program reads a tensor's value, as LaunchLoops divides at copies to the host. Equal operators between two reads are
 * layers.
 */
final class OperatorLoops {
    private final Timeline timeline;
    private final int track;
    private final NamePredicate reads;
    private final NamePredicate modules;
    private final NamePredicate passes;
    private int[] outermostPasses = {};

    private OperatorLoops(Timeline timeline, int track) {
        this.timeline = timeline;
        this.track = track;
        this.reads = new NamePredicate(timeline, NameRole.READS_RESULT::in);
        this.modules = new NamePredicate(timeline, StepNames::isModule);
        this.passes = new NamePredicate(timeline, StepNames::isPass);
    }

    static Optional<Loop> of(Timeline timeline, int track) {
        return new OperatorLoops(timeline, track).loop();
    }

    private Optional<Loop> loop() {
        int size = timeline.endRow(track) - timeline.firstRow(track);
        long[] endsNs = new long[size];
        long[] hashes = new long[size];
        int[] counts = new int[size];
        Map<Integer, Integer> insideOf = new HashMap<>();
        int pieces = 0;
        long outermostEndNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.kind(row) != RowKind.OPERATOR || timeline.startNs(row) < outermostEndNs) {
                continue;
            }
            outermostEndNs = timeline.endNs(row);
            if (reads.testRow(row)) {
                insideOf.merge(outermostPass(row), 1, Integer::sum);
                endsNs[pieces++] = outermostEndNs;
            } else {
                hashes[pieces] += WorkBetweenExchanges.mixed(timeline.nameId(row));
                counts[pieces]++;
            }
        }
        int reading = pieces;
        boolean ofOnePass = insideOf.entrySet().stream().anyMatch(e -> e.getKey() >= 0 && 2 * e.getValue() > reading);
        return ofOnePass
                ? Optional.empty()
                : new WorkBetweenExchanges(
                                Arrays.copyOf(endsNs, pieces),
                                Arrays.copyOf(hashes, pieces),
                                Arrays.copyOf(counts, pieces))
                        .loop(Loop.Source.OPERATORS, track);
    }

    /** Returns the outermost pass around a row, as a module or a range named so; -1 for none. */
    private int outermostPass(int row) {
        int parent = timeline.parent(row);
        if (outermostPasses.length == 0) {
            outermostPasses = findOutermostPasses();
        }
        return parent < 0 ? -1 : outermostPasses[parent - timeline.firstRow(track)];
    }

    /**
     * The outermost pass around each row of the track, which may be the row itself. One pass, because parents precede
     * their children.
     */
    private int[] findOutermostPasses() {
        int first = timeline.firstRow(track);
        int[] found = new int[timeline.endRow(track) - first];
        for (int row = first; row < first + found.length; row++) {
            int parent = timeline.parent(row);
            int around = parent < 0 ? -1 : found[parent - first];
            RowKind kind = timeline.kind(row);
            boolean pass = kind == RowKind.PYTHON_FUNCTION
                    ? modules.testRow(row)
                    : kind == RowKind.ANNOTATION && passes.testRow(row);
            found[row - first] = around < 0 && pass ? row : around;
        }
        return found;
    }
}
