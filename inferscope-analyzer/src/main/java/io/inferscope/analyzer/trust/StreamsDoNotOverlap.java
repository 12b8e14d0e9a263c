package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;

/**
 * Operations of one stream run one after the other. With programmatic dependent launch, an operation may begin while
 * the previous one ends: many small overlaps are normal, so their size is judged and their number only reported. Nodes
 * of one replay that each begin some microseconds before their neighbour ends are not judged at all: on a B300, 674 of
 * 676 nodes of a decode did, by 4.6 us at most and 13 % of the busy time. Copies
 * between host memory are the host's work, with times of its own: on an H200 they overlapped their neighbours by 20 us.
 */
final class StreamsDoNotOverlap extends Check {
    private static final Threshold OVERLAP = Threshold.of("trust.overlap.share");
    static final Threshold DEPENDENT_NS = Threshold.of("trust.dependent-launch.ns");

    @Override
    TrustCheck of(RecordingFacts recorded) {
        StreamOverlaps sums = recorded.overlaps();
        String detail =
                part(sums.overlaps(), sums.operations(), "operations", "overlap the one before them on their stream")
                        + (sums.overlaps() > 0 ? ", " + Units.duration(sums.overlapNs()) + " in all" : "")
                        + (sums.dependent() > 0
                                ? "; by programmatic dependent launch " + sums.dependent()
                                        + " more nodes of graphs begin before the one before them ends, "
                                        + Units.duration(sums.dependentNs()) + " in all"
                                : "");
        double share = (double) sums.overlapNs() / Math.max(1, sums.busyNs());
        double limit = recorded.threshold(OVERLAP);
        return share > limit
                ? fail(
                        share > 10 * limit,
                        detail + " (" + Units.percent(share) + " of busy time) and " + Units.duration(sums.largestNs())
                                + " at most: timestamps are wrong, or programmatic dependent launch is in use",
                        recorded.recorder().again())
                : pass(detail);
    }
}
