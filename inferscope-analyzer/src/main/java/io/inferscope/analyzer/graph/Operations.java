package io.inferscope.analyzer.graph;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;

/** The device operations of a timeline: stream by stream in start order, with the calls that launched them. */
final class Operations {
    /** A longer launch latency is queueing: latencies of idle GPUs measure 2 to 30 us. */
    static final long MAX_IDLE_LATENCY_NS = 50_000;

    private final Timeline timeline;
    private final int[] rows;
    private final int[] launches;
    private final int[] firstOfLaunch;
    private final long[] endsNs;
    private final int[] byEnd;
    private final long minLatencyNs;

    Operations(Timeline timeline) {
        this.timeline = timeline;
        this.rows = rows(timeline);
        this.launches = new int[rows.length];
        this.firstOfLaunch = new int[rows.length == 0 ? 0 : timeline.rowCount()];
        this.endsNs = new long[rows.length];
        Arrays.fill(firstOfLaunch, -1);
        findLaunches();
        for (int i = 0; i < rows.length; i++) {
            endsNs[i] = timeline.endNs(rows[i]);
        }
        byEnd = StableTimeSort.order(endsNs, endsNs.length);
        minLatencyNs = minLatencyNs();
    }

    private static int[] rows(Timeline timeline) {
        return timeline.tracks(TrackKind.STREAM)
                .flatMapToInt(track -> timeline.rows(track.id()))
                .filter(row -> timeline.kind(row).isDeviceOperation())
                .toArray();
    }

    private void findLaunches() {
        Links links = timeline.links();
        int link = 0;
        for (int i = 0; i < rows.length; i++) {
            launches[i] = -1;
            while (link < links.count() && links.toRow(link) < rows[i]) {
                link++;
            }
            for (int at = link; at < links.count() && links.toRow(at) == rows[i] && launches[i] < 0; at++) {
                if (links.kind(at) == LinkKind.LAUNCH || links.kind(at) == LinkKind.GRAPH_REPLAY) {
                    launches[i] = links.fromRow(at);
                }
            }
            int launch = launches[i];
            if (launch >= 0
                    && (firstOfLaunch[launch] < 0
                            || timeline.startNs(rows[i]) < timeline.startNs(rows[firstOfLaunch[launch]]))) {
                firstOfLaunch[launch] = i;
            }
        }
    }

    /**
     * The smallest time from the start of a launch call to the start of its operation, graph launches excluded; 0
     * without any.
     */
    private long minLatencyNs() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < rows.length; i++) {
            if (launches[i] >= 0 && timeline.kind(launches[i]) != RowKind.GRAPH_LAUNCH) {
                long latencyNs = timeline.startNs(rows[i]) - timeline.startNs(launches[i]);
                least = latencyNs >= 0 ? Math.min(least, latencyNs) : least;
            }
        }
        return least == Long.MAX_VALUE ? 0 : Math.min(least, MAX_IDLE_LATENCY_NS);
    }

    int count() {
        return rows.length;
    }

    int row(int index) {
        return rows[index];
    }

    /** Returns the number of a row's operation, -1 when it is none. */
    int ofRow(int row) {
        return row < 0 ? -1 : Math.max(-1, Arrays.binarySearch(rows, row));
    }

    boolean isOn(int track) {
        int at = Arrays.binarySearch(rows, timeline.firstRow(track));
        at = at < 0 ? -at - 1 : at;
        return at < rows.length && rows[at] < timeline.endRow(track);
    }

    int launch(int index) {
        return launches[index];
    }

    /** Returns the operation that a call launched and that starts first, -1 for none. */
    int firstOf(int call) {
        return firstOfLaunch.length == 0 ? -1 : firstOfLaunch[call];
    }

    long startNs(int index) {
        return timeline.startNs(rows[index]);
    }

    long endNs(int index) {
        return endsNs[index];
    }

    int track(int index) {
        return timeline.track(rows[index]);
    }

    /** Returns the smallest time from a launch call's start to the start of its operation, in ns. */
    long leastLatencyNs() {
        return minLatencyNs;
    }

    /** Returns when the operation before one on its stream ends, in ns; the least value without one. */
    long endBeforeNs(int index) {
        return index > 0 && track(index - 1) == track(index) ? endsNs[index - 1] : Long.MIN_VALUE;
    }

    /** Returns the operations in the order of their ends. */
    int[] byEnd() {
        return byEnd;
    }

    /**
     * Returns the operation that a call waited for: the last to end during the call, among operations that the call's
     * process submitted before the call or in it, and on the awaited stream if that is known. -1 for none.
     *
     * @param stream track of the awaited stream, -1 if not known
     */
    int waitedFor(int call, int stream) {
        return lastEnded(call, stream, true);
    }

    /** Returns the operation of a row's process that ended last during the row, -1 for none. */
    int lastEndedIn(int row) {
        return lastEnded(row, -1, false);
    }

    private int lastEnded(int row, int stream, boolean submittedBefore) {
        long fromNs = timeline.startNs(row);
        int process = process(row);
        for (int i = StableTimeSort.upTo(endsNs, byEnd, timeline.endNs(row)) - 1; i >= 0; i--) {
            int operation = byEnd[i];
            if (endsNs[operation] <= fromNs) {
                return -1;
            }
            int launch = launches[operation];
            boolean submitted = launch == row
                    || (launch >= 0
                            && (!submittedBefore || timeline.startNs(launch) < fromNs)
                            && process(launch) == process);
            if (submitted && (stream < 0 || track(operation) == stream)) {
                return operation;
            }
        }
        return -1;
    }

    private int process(int row) {
        return timeline.tracks().get(timeline.track(row)).parent();
    }
}
