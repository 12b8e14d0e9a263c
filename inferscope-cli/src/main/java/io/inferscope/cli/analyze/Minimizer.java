package io.inferscope.cli.analyze;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.cut.TimelineCut;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;

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
    Minimizer(Timeline timeline, Finding finding, int most) {
        this.timeline = timeline;
        this.rule = finding.rule();
        this.wanted = finding;
        this.most = most;
        this.kept = new BitSet();
        kept.set(0, timeline.rowCount());
    }

    static Optional<Finding> find(Timeline timeline, String rule) {
        return findings(timeline).stream()
                .filter(finding -> finding.rule().equals(rule))
                .findFirst();
    }

    static List<Finding> findings(Timeline timeline) {
        return new Analyzer().analyze(timeline, "trace").findings();
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
        return find(other, rule)
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
        List<BitSet> units = units();
        byPieces(groups(units, row -> timeline.track(row)));
        byPieces(groups(units, row -> (long) timeline.track(row) << 32 | timeline.nameId(row)));
        int before;
        do {
            before = kept.cardinality();
            byPieces(units.stream().filter(unit -> unit.intersects(kept)).toList());
        } while (kept.cardinality() < before && analyses < most);
        return TimelineCut.ofRows(timeline, kept);
    }

    /** Rows that go together, in the order of time. */
    private List<BitSet> units() {
        int[] leader = new int[timeline.rowCount()];
        for (int row = 0; row < leader.length; row++) {
            leader[row] = row;
        }
        Links links = timeline.links();
        for (int link = 0; link < links.count(); link++) {
            if (links.kind(link) == LinkKind.LAUNCH || links.kind(link) == LinkKind.GRAPH_REPLAY) {
                leader[root(leader, links.toRow(link))] = root(leader, links.fromRow(link));
            }
        }
        Map<Integer, BitSet> byLeader = new TreeMap<>();
        for (int row = 0; row < leader.length; row++) {
            byLeader.computeIfAbsent(root(leader, row), r -> new BitSet()).set(row);
        }
        List<BitSet> units = new ArrayList<>(byLeader.values());
        units.sort(Order.comparingLong(unit -> timeline.startNs(unit.nextSetBit(0))));
        return units;
    }

    private static int root(int[] leader, int row) {
        int at = row;
        while (leader[at] != at) {
            leader[at] = leader[leader[at]];
            at = leader[at];
        }
        return at;
    }

    /** Joins the units whose first rows are equal by {@code alike}. */
    private static List<BitSet> groups(List<BitSet> units, IntFunction<Number> alike) {
        Map<Long, BitSet> groups = new TreeMap<>();
        for (BitSet unit : units) {
            groups.computeIfAbsent(alike.apply(unit.nextSetBit(0)).longValue(), g -> new BitSet())
                    .or(unit);
        }
        return List.copyOf(groups.values());
    }

    /** Tries to remove halves of the units, quarters, and so on down to single units. */
    private void byPieces(List<BitSet> units) {
        for (int size = Math.max(1, units.size() / 2); size >= 1; size /= 2) {
            for (int from = 0; from < units.size() && analyses < most; from += size) {
                leaveOut(units.subList(from, Math.min(units.size(), from + size)));
            }
        }
    }

    private void leaveOut(Collection<BitSet> units) {
        BitSet rest = (BitSet) kept.clone();
        units.forEach(rest::andNot);
        if (rest.equals(kept) || rest.isEmpty()) {
            return;
        }
        analyses++;
        if (isSame(TimelineCut.ofRows(timeline, rest))) {
            kept = rest;
        }
    }
}
