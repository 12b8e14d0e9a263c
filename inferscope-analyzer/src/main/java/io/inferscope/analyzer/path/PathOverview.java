package io.inferscope.analyzer.path;

import io.inferscope.timeline.ColumnStore;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The runs of a path, of which a picture shows only so many. If there are more, runs that begin in the same short
 * interval are put together by track and meaning, so that each keeps its time:
 *
 * <pre>
 *   runs       | a b a c a b | c c a | d d d d d d d d |
 *   overview   | a a a b b c | c c a | d d d d d d d d |
 * </pre>
 */
final class PathOverview implements PathPieceJoiner.Sink {
    /** Causes that alternate in a short interval; only the number of intervals is limited. */
    private static final int PER_INTERVAL = 5;

    private final ColumnStore starts = new ColumnStore(0);
    private final ColumnStore tracks = new ColumnStore(0);
    private final ColumnStore meanings = new ColumnStore(0);
    private int count;
    private long endNs;

    private record Kind(int track, int meaning) {}

    @Override
    public void run(int track, int meaning, long startNs, long runEndNs) {
        starts.set(count, startNs);
        tracks.set(count, track);
        meanings.set(count, meaning);
        count++;
        endNs = runEndNs;
    }

    /** Passes the runs on, earliest first: all, or about {@code most}. */
    void show(int most, PathPieceJoiner.Sink sink) {
        if (count == 0) {
            return;
        }
        long firstNs = starts.get(0);
        long intervalNs = count <= most ? 0 : Math.max(1, (endNs - firstNs) / Math.max(1, most / PER_INTERVAL));
        Map<Kind, Long> together = new LinkedHashMap<>();
        long beginNs = firstNs;
        long fromNs = firstNs;
        for (int i = 0; i < count; i++) {
            long startNs = starts.get(i);
            if (startNs - beginNs >= intervalNs) {
                fromNs = pass(together, fromNs, sink);
                beginNs = startNs;
            }
            long runEndNs = i + 1 < count ? starts.get(i + 1) : endNs;
            together.merge(new Kind((int) tracks.get(i), (int) meanings.get(i)), runEndNs - startNs, Long::sum);
        }
        pass(together, fromNs, sink);
    }

    private static long pass(Map<Kind, Long> together, long fromNs, PathPieceJoiner.Sink sink) {
        long atNs = fromNs;
        for (Map.Entry<Kind, Long> one : together.entrySet()) {
            sink.run(one.getKey().track, one.getKey().meaning, atNs, atNs + one.getValue());
            atNs += one.getValue();
        }
        together.clear();
        return atNs;
    }
}
