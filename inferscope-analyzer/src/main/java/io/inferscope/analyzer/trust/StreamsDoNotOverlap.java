package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;

/**
 * Operations of one stream run one after the other. With programmatic dependent launch, an operation may begin while
 * the previous one ends: many small overlaps are normal, so their size is judged and their number only reported. Nodes
 * of one replay that each begin some microseconds before their neighbour ends are not judged at all: on a B300, 674 of
 * 676 nodes of a decode did, by 4.6 us at most and 13 % of the busy time. Copies
 * between host memory are the host's work, with times of its own: on an H200 they overlapped their neighbours by 20 us.
 */
final class StreamsDoNotOverlap extends Check {
    private static final Threshold OVERLAP =
            new Threshold("trust.overlap.share", 0.01, "operations of one stream that overlap");

    private static final Threshold DEPENDENT_NS = new Threshold(
            "trust.dependent-launch.ns", 10_000.0, "overlap of two nodes of a replay that a dependent launch explains");

    StreamsDoNotOverlap() {
        super("streams-do-not-overlap", OVERLAP, DEPENDENT_NS);
    }

    /** Sums over the streams of a recording. */
    private static final class Sums {
        private long operations;
        private long busyNs;
        private long overlaps;
        private long overlapNs;
        private long largestNs;
        private long dependent;
        private long dependentNs;
    }

    @Override
    TrustCheck of(RecordingFacts recorded) {
        Sums sums = new Sums();
        for (Track track : recorded.timeline().tracks()) {
            if (track.kind() == TrackKind.STREAM) {
                add(recorded.timeline(), track, recorded.threshold(DEPENDENT_NS), sums);
            }
        }
        String detail =
                part(sums.overlaps, sums.operations, "operations", "overlap the one before them on their stream")
                        + (sums.overlaps > 0 ? ", " + Units.duration(sums.overlapNs) + " in all" : "")
                        + (sums.dependent > 0
                                ? "; by programmatic dependent launch " + sums.dependent
                                        + " more nodes of graphs begin before the one before them ends, "
                                        + Units.duration(sums.dependentNs) + " in all"
                                : "");
        double share = (double) sums.overlapNs / Math.max(1, sums.busyNs);
        double limit = recorded.threshold(OVERLAP);
        return share > limit
                ? fail(
                        share > 10 * limit,
                        detail + " (" + Units.percent(share) + " of busy time) and " + Units.duration(sums.largestNs)
                                + " at most: timestamps are wrong, or programmatic dependent launch is in use",
                        recorded.recorder().again())
                : pass(detail);
    }

    private static void add(Timeline timeline, Track stream, double mostDependentNs, Sums sums) {
        long endNs = Long.MIN_VALUE;
        int before = -1;
        for (int row = timeline.firstRow(stream.id()); row < timeline.endRow(stream.id()); row++) {
            if (timeline.kind(row).isDeviceOperation() && timeline.durationNs(row) > 0 && !staysOnHost(timeline, row)) {
                long sharedNs =
                        endNs == Long.MIN_VALUE ? 0 : Math.min(endNs, timeline.endNs(row)) - timeline.startNs(row);
                if (sharedNs > 0 && sharedNs <= mostDependentNs && areOfOneReplay(timeline, before, row)) {
                    sums.dependent++;
                    sums.dependentNs += sharedNs;
                } else if (sharedNs > 0) {
                    sums.overlaps++;
                    sums.overlapNs += sharedNs;
                    sums.largestNs = Math.max(sums.largestNs, sharedNs);
                }
                sums.operations++;
                sums.busyNs += timeline.durationNs(row);
                endNs = Math.max(endNs, timeline.endNs(row));
                before = row;
            }
        }
    }

    private static boolean areOfOneReplay(Timeline timeline, int before, int row) {
        int launch = timeline.links().launchOf(row);
        return launch >= 0
                && timeline.kind(launch) == RowKind.GRAPH_LAUNCH
                && timeline.links().launchOf(before) == launch
                && timeline.endNs(before) <= timeline.endNs(row);
    }

    private static boolean staysOnHost(Timeline timeline, int row) {
        return timeline.kind(row) == RowKind.MEMCPY_OTHER && timeline.name(row).contains("HtoH");
    }
}
