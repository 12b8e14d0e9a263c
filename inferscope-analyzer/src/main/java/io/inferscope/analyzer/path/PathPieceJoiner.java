package io.inferscope.analyzer.path;

import io.inferscope.analyzer.activity.RowMeanings;

/**
 * Joins equal neighbouring pieces of the critical path and places them one after the other. Where only counters exist,
 * a cause has a length but no place in time; it gets one in the order in which pieces arrive.
 */
final class PathPieceJoiner implements CriticalPath.Sink {
    /** Receives the joined pieces, earliest first. */
    interface Sink {
        /** Takes a run of one meaning on a track, -1 for none. */
        void run(int track, int meaning, long startNs, long endNs);
    }

    private final Sink sink;
    private int track = -1;
    private int meaning = RowMeanings.NOTHING;
    private long startNs;
    private long endNs;

    /** Begins at the start of the path. */
    PathPieceJoiner(long startNs, Sink sink) {
        this.sink = sink;
        this.startNs = startNs;
        this.endNs = startNs;
    }

    @Override
    public void take(int onTrack, int of, long fromNs, long toNs, long ns) {
        if (onTrack != track || of != meaning) {
            end();
            track = onTrack;
            meaning = of;
        }
        endNs += ns;
    }

    void end() {
        if (endNs > startNs) {
            sink.run(track, meaning, startNs, endNs);
        }
        startNs = endNs;
    }
}
