package io.inferscope.report.scene;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The parts of the window for which the page holds every event. In a recording of ordinary size, this is the whole
 * window. In a larger one, these are the surroundings of the findings' evidence, the slowest steps, and then the judged
 * part from its start on, as far as they fit.
 */
final class Detail {
    private static final int SLOWEST_STEPS = 5;

    /** Number of equal pieces into which the judged part is divided. */
    private static final int PARTS = 64;

    private final Timeline timeline;
    private final Stretch window;
    private final long most;
    private final boolean whole;
    private Intervals kept = Intervals.EMPTY;
    private long events;

    /**
     * Chooses.
     *
     * @param most events; a recording with no more is kept whole
     * @param places of the findings' evidence
     * @param first the interval that is kept first, if it fits
     */
    Detail(Analysis analysis, Report report, Landings places, long most, Optional<Stretch> first) {
        this.timeline = analysis.timeline();
        this.window = analysis.window();
        this.most = most;
        this.whole = rows(timeline) <= most;
        if (!whole) {
            first.ifPresent(this::keep);
            candidates(analysis, report, places).forEach(this::keep);
        }
    }

    /** Returns how many rows can be drawn: none of those captured in another recording. */
    static int rows(Timeline timeline) {
        return timeline.rowCount() - timeline.capturedCount();
    }

    private static List<Stretch> candidates(Analysis analysis, Report report, Landings places) {
        List<Stretch> wanted = new ArrayList<>();
        report.findings()
                .forEach(finding -> finding.evidence().forEach(evidence -> {
                    if (evidence instanceof Evidence.Range range) {
                        long margin = Math.max(1, range.endNs() - range.startNs());
                        wanted.add(new Stretch(range.startNs() - margin, range.endNs() + margin));
                    }
                }));
        Timeline timeline = analysis.timeline();
        places.rows().values().stream()
                .sorted()
                .forEach(row -> wanted.add(new Stretch(timeline.startNs(row), timeline.endNs(row))));
        analysis.steps().stream()
                .sorted(Order.comparingLong(Step::durationNs).reversed().thenComparingLong(Step::startNs))
                .limit(SLOWEST_STEPS)
                .forEach(step -> wanted.add(new Stretch(step.startNs(), step.endNs())));
        Stretch judged = analysis.judged().stretch();
        for (int part = 0; part < PARTS; part++) {
            wanted.add(new Stretch(
                    judged.startNs() + judged.durationNs() * part / PARTS,
                    judged.startNs() + judged.durationNs() * (part + 1) / PARTS));
        }
        return wanted;
    }

    /** Keeps a part if its events fit; events that are kept already do not count again. */
    private void keep(Stretch part) {
        Intervals added = Intervals.of(part.startNs(), part.endNs()).minus(kept);
        long more = 0;
        for (int i = 0; i < added.count(); i++) {
            for (int track = 0; track < timeline.tracks().size(); track++) {
                more += firstFrom(track, added.endNs(i)) - firstFrom(track, added.startNs(i));
            }
        }
        if (events + more <= most) {
            events += more;
            kept = kept.union(added);
        }
    }

    private int firstFrom(int track, long ns) {
        return BinarySearch.first(timeline.firstRow(track), timeline.endRow(track), row -> timeline.startNs(row) >= ns);
    }

    /** Adds an event to its lane: in full, or to the lane's sums alone. */
    void put(Lane lane, long startNs, long endNs, int name, int ledgerClass, long link) {
        if (keeps(startNs, endNs)) {
            lane.add(startNs - window.startNs(), endNs - window.startNs(), name, ledgerClass, link);
        } else {
            lane.leaveOut(
                    startNs - window.startNs(),
                    endNs - window.startNs(),
                    ledgerClass,
                    RowLanes.CLASSES,
                    Math.max(1, window.durationNs()));
        }
    }

    /** Returns whether an event is kept: one that reaches into a kept part. */
    private boolean keeps(long startNs, long endNs) {
        if (whole) {
            return true;
        }
        int next = BinarySearch.first(0, kept.count(), i -> kept.endNs(i) > startNs);
        return next < kept.count() && kept.startNs(next) < Math.max(endNs, startNs + 1);
    }
}
