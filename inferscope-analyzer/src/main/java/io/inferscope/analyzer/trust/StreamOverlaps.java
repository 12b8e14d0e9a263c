package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;

/** The time that operations share with the one before them on their stream, over all streams of a recording. */
final class StreamOverlaps {
    private final Timeline timeline;
    private long operations;
    private long busyNs;
    private long overlapNs;
    private long largestNs;
    private long dependent;
    private long dependentNs;

    /** The operations that no dependent launch explains, and the time that each shares, in ns. */
    private int[] rows = new int[8];

    private long[] sharedNs = new long[8];
    private int overlaps;

    /**
     * Looks at all streams.
     *
     * @param mostDependentNs the longest time that a dependent launch explains, in ns
     */
    StreamOverlaps(Timeline timeline, double mostDependentNs) {
        this.timeline = timeline;
        timeline.tracks(TrackKind.STREAM).forEach(stream -> add(stream, mostDependentNs));
    }

    private void add(Track stream, double mostDependentNs) {
        long endNs = Long.MIN_VALUE;
        int before = -1;
        for (int row = timeline.firstRow(stream.id()); row < timeline.endRow(stream.id()); row++) {
            long durationNs = timeline.durationNs(row);
            if (durationNs > 0 && timeline.kind(row).isDeviceOperation() && !staysOnHost(row)) {
                long untilNs = timeline.endNs(row);
                long commonNs = endNs == Long.MIN_VALUE ? 0 : Math.min(endNs, untilNs) - timeline.startNs(row);
                if (commonNs > 0) {
                    overlap(before, row, commonNs, mostDependentNs);
                }
                operations++;
                busyNs += durationNs;
                endNs = Math.max(endNs, untilNs);
                before = row;
            }
        }
    }

    private void overlap(int before, int row, long ns, double mostDependentNs) {
        if (ns <= mostDependentNs && areOfOneReplay(before, row)) {
            dependent++;
            dependentNs += ns;
            return;
        }
        if (overlaps == rows.length) {
            rows = Arrays.copyOf(rows, 2 * overlaps);
            sharedNs = Arrays.copyOf(sharedNs, 2 * overlaps);
        }
        rows[overlaps] = row;
        sharedNs[overlaps++] = ns;
        overlapNs += ns;
        largestNs = Math.max(largestNs, ns);
    }

    private boolean areOfOneReplay(int before, int row) {
        int launch = timeline.links().launchOf(row);
        return launch >= 0
                && timeline.kind(launch) == RowKind.GRAPH_LAUNCH
                && timeline.links().launchOf(before) == launch
                && timeline.endNs(before) <= timeline.endNs(row);
    }

    private boolean staysOnHost(int row) {
        return timeline.kind(row) == RowKind.MEMCPY_OTHER && timeline.name(row).contains("HtoH");
    }

    /** Returns the time in a part that operations of a device share and no dependent launch explains, in ns. */
    long sharedNs(DeviceActivity device, Stretch part) {
        long ns = 0;
        for (int i = 0; i < overlaps; i++) {
            Track stream = timeline.tracks().get(timeline.track(rows[i]));
            long startNs = timeline.startNs(rows[i]);
            boolean counts = stream.parent() == device.track().id() && part.holds(startNs);
            ns += counts ? sharedNs[i] : 0;
        }
        return ns;
    }

    /** Returns how many operations with a duration there are. */
    long operations() {
        return operations;
    }

    /** Returns the sum of their durations, in ns. */
    long busyNs() {
        return busyNs;
    }

    /** Returns how many of them overlap the one before them in a way that no dependent launch explains. */
    long overlaps() {
        return overlaps;
    }

    /** Returns by how much in all, in ns. */
    long overlapNs() {
        return overlapNs;
    }

    /** Returns by how much at most, in ns. */
    long largestNs() {
        return largestNs;
    }

    /** Returns how many nodes of graphs begin before the one before them ends, by programmatic dependent launch. */
    long dependent() {
        return dependent;
    }

    /** Returns by how much in all, in ns. */
    long dependentNs() {
        return dependentNs;
    }
}
