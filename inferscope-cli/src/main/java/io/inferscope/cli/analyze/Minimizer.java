package io.inferscope.cli.analyze;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.cut.TimelineCut;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * Removes rows from a timeline while its report keeps a finding: same rule, severity, causes, device or thread, and
 * first place.
 *
 * <p>A launch and its operation are removed together, because one without the other is a damaged recording. The steps:
 * first whole tracks are removed, then the rows of one name on one track, then ever smaller pieces in the order of
 * time, as in delta debugging (Zeller and Hildebrandt, IEEE TSE 28(2), 2002), until no piece can be removed or the
 * analyses are used up.
 */
final class Minimizer {
    private final Analyzer analyzer;
    private final Timeline timeline;
    private final String rule;
    private final Finding wanted;
    private final int most;
    private BitSet kept;
    private int analyses;

    /**
     * Prepares for one finding.
     *
     * @param most the most analyses
     */
    Minimizer(Analyzer analyzer, Timeline timeline, Finding finding, int most) {
        this.analyzer = analyzer;
        this.timeline = timeline;
        this.rule = finding.rule();
        this.wanted = finding;
        this.most = most;
        this.kept = new BitSet();
        kept.set(0, timeline.rowCount());
    }

    static Optional<Finding> find(Analyzer analyzer, Timeline timeline, String rule) {
        return findings(analyzer, timeline).stream()
                .filter(finding -> finding.rule().equals(rule))
                .findFirst();
    }

    static List<Finding> findings(Analyzer analyzer, Timeline timeline) {
        return analyzer.analyze(timeline, "trace").findings();
    }

    /** Returns the device or thread that a finding is about. */
    private static String subject(Finding finding) {
        return finding.of().substring(finding.of().indexOf(" of ") + 1);
    }

    private static String firstPlace(Finding finding) {
        return finding.places().stream().findFirst().orElse("");
    }

    /** Returns whether a timeline has the same finding at the same place. */
    boolean isSame(Timeline other) {
        return find(analyzer, other, rule)
                .filter(finding -> finding.severity() == wanted.severity()
                        && finding.causes().equals(wanted.causes())
                        && subject(finding).equals(subject(wanted))
                        && firstPlace(finding).equals(firstPlace(wanted)))
                .isPresent();
    }

    /** Returns how many timelines were analysed. */
    int analyses() {
        return analyses;
    }

    /** Returns a timeline from which no piece can be removed. */
    Timeline smallest() {
        Pieces units = units();
        byPieces(units.joined(row -> timeline.track(row)));
        byPieces(units.joined(row -> (long) timeline.track(row) << 32 | timeline.nameId(row)));
        int before;
        do {
            before = kept.cardinality();
            byPieces(units.in(kept));
        } while (kept.cardinality() < before && analyses < most);
        return TimelineCut.ofRows(timeline, kept);
    }

    /**
     * Sets of rows: piece {@code i} has {@code rows[starts[i]]} to the one before {@code rows[starts[i + 1]]}, ascending.
     * There may be as many pieces as rows, so none has an object of its own.
     */
    private static final class Pieces {
        private final int[] rows;
        private final int[] starts;

        Pieces(int[] rows, int[] starts) {
            this.rows = rows;
            this.starts = starts;
        }

        /** Makes pieces in the order of their keys. {@code keys[i]} is that of {@code rows[i]}. */
        static Pieces of(int[] rows, long[] keys) {
            Integer[] order = new Integer[rows.length];
            Arrays.setAll(order, i -> i);
            Arrays.sort(order, Order.comparingLong(i -> keys[i])); // Stable, so rows stay in their order.
            int[] sorted = new int[rows.length];
            int[] starts = new int[rows.length + 1];
            int count = 0;
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = rows[order[i]];
                if (i == 0 || keys[order[i]] != keys[order[i - 1]]) {
                    starts[count++] = i;
                }
            }
            starts[count] = sorted.length;
            return new Pieces(sorted, Arrays.copyOf(starts, count + 1));
        }

        int count() {
            return starts.length - 1;
        }

        /** Joins pieces whose first rows have the same key. */
        Pieces joined(IntToLongFunction keyOfRow) {
            long[] keys = new long[rows.length];
            for (int piece = 0; piece < count(); piece++) {
                Arrays.fill(keys, starts[piece], starts[piece + 1], keyOfRow.applyAsLong(rows[starts[piece]]));
            }
            return of(rows, keys);
        }

        /** Orders pieces by the key of their first row, and equal ones as they are. */
        Pieces inOrderOf(IntToLongFunction keyOfRow) {
            Integer[] order = new Integer[count()];
            Arrays.setAll(order, piece -> piece);
            Arrays.sort(order, Order.comparingLong(piece -> keyOfRow.applyAsLong(rows[starts[piece]])));
            long[] ranks = new long[rows.length];
            for (int rank = 0; rank < order.length; rank++) {
                Arrays.fill(ranks, starts[order[rank]], starts[order[rank] + 1], rank);
            }
            return of(rows, ranks);
        }

        /** Returns the pieces of which rows are in a set. */
        Pieces in(BitSet kept) {
            long[] keys = new long[rows.length];
            int[] some = new int[rows.length];
            int count = 0;
            for (int piece = 0; piece < count(); piece++) {
                for (int i = starts[piece]; i < starts[piece + 1]; i++) {
                    if (kept.get(rows[i])) {
                        keys[count] = piece;
                        some[count++] = rows[i];
                    }
                }
            }
            return of(Arrays.copyOf(some, count), Arrays.copyOf(keys, count));
        }
    }

    /** Returns rows that go together, in the order of time. */
    private Pieces units() {
        int[] leader = new int[timeline.rowCount()];
        Arrays.setAll(leader, row -> row);
        Links links = timeline.links();
        links.launches().forEach(link -> leader[root(leader, links.toRow(link))] = root(leader, links.fromRow(link)));
        int[] rows = new int[leader.length];
        long[] leaders = new long[leader.length];
        for (int row = 0; row < rows.length; row++) {
            rows[row] = row;
            leaders[row] = root(leader, row);
        }
        return Pieces.of(rows, leaders).inOrderOf(timeline::startNs);
    }

    private static int root(int[] leader, int row) {
        int at = row;
        while (leader[at] != at) {
            leader[at] = leader[leader[at]];
            at = leader[at];
        }
        return at;
    }

    /** Tries to remove halves of the pieces, quarters, and so on down to single ones. */
    private void byPieces(Pieces pieces) {
        int count = pieces.count();
        for (int size = Math.max(1, count / 2); size >= 1; size /= 2) {
            for (int from = 0; from < count && analyses < most; from += size) {
                leaveOut(pieces.rows, pieces.starts[from], pieces.starts[Math.min(count, from + size)]);
            }
        }
    }

    private void leaveOut(int[] rows, int from, int to) {
        int first = from;
        while (first < to && !kept.get(rows[first])) {
            first++;
        }
        if (first == to) {
            return;
        }
        BitSet rest = (BitSet) kept.clone();
        for (int i = first; i < to; i++) {
            rest.clear(rows[i]);
        }
        if (rest.isEmpty()) {
            return;
        }
        analyses++;
        if (isSame(TimelineCut.ofRows(timeline, rest))) {
            kept = rest;
        }
    }
}
