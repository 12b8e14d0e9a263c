package io.inferscope.analyzer.path;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Timeline;

/**
 * Joins equal neighbouring pieces of the critical path and places them one after the other. Where only counters exist,
 * a cause has a length but no place in time; it gets one in the order in which pieces arrive.
 */
final class PathRuns implements CriticalPath.Sink {
    /** Receives the joined pieces, earliest first. */
    interface Sink {
        /** Takes a run on a track, -1 for none, with the name id of its activity, -1 for none. */
        void run(int track, LedgerClass cause, int activity, int place, long startNs, long endNs);
    }

    private final Timeline timeline;
    private final Sink sink;
    private int track = -1;
    private LedgerClass cause = LedgerClass.UNATTRIBUTED;
    private int activity = -1;
    private int place;
    private long startNs;
    private long endNs;

    /** Begins at the start of the path. */
    PathRuns(Timeline timeline, long startNs, Sink sink) {
        this.timeline = timeline;
        this.sink = sink;
        this.startNs = startNs;
        this.endNs = startNs;
    }

    @Override
    public void take(int onTrack, LedgerClass of, int row, int at, long fromNs, long toNs, long ns) {
        int name = row < 0 ? -1 : timeline.nameId(row);
        if (onTrack != track || of != cause || name != activity || at != place) {
            end();
            track = onTrack;
            cause = of;
            activity = name;
            place = at;
        }
        endNs += ns;
    }

    /** Ends the last run. */
    void end() {
        if (endNs > startNs) {
            sink.run(track, cause, activity, place, startNs, endNs);
        }
        startNs = endNs;
    }
}
