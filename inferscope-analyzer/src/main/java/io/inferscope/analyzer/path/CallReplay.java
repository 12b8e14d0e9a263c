package io.inferscope.analyzer.path;

import io.inferscope.analyzer.graph.DependencyGraph;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import java.util.Map;

/**
 * Replays without some calls of threads: without their work and their waits.
 *
 * <pre>
 *   host     ...[ copy, waits   ]....      the call's time and its wait for the device are removed
 *   stream       ....[ copy  ]             the launched operation stays
 * </pre>
 *
 * @param withMakers whether what other threads do during the calls is removed, too: they make what is waited for
 */
record CallReplay(Timeline timeline, DependencyGraph graph, boolean withMakers) {
    /** Returns the saving within a part, in ns, if each call takes at most {@code eachNs}. */
    long savedNs(HostCalls calls, long eachNs, Stretch part) {
        Map<Integer, Intervals> gone = calls.beyond(eachNs, timeline);
        gone.replaceAll((track, intervals) -> intervals.clip(part.startNs(), part.endNs()));
        Intervals ofOthers =
                withMakers ? gone.values().stream().reduce(Intervals.EMPTY, Intervals::union) : Intervals.EMPTY;
        long[] saved = new long[graph.arcCount()];
        for (int arc = 0; arc < saved.length; arc++) {
            saved[arc] = savedNs(arc, gone, ofOthers);
        }
        return graph.makespanNs() - graph.replayNs(saved);
    }

    private long savedNs(int arc, Map<Integer, Intervals> gone, Intervals ofOthers) {
        long fromNs = graph.timeNs(graph.from(arc));
        long toNs = graph.timeNs(graph.to(arc));
        int track = graph.track(graph.to(arc));
        Intervals ofTarget = gone.getOrDefault(track, Intervals.EMPTY);
        return switch (graph.kind(arc)) {
            case PROGRAM -> gone.getOrDefault(track, ofOthers).totalWithinNs(fromNs, fromNs + graph.lagNs(arc));
            case HAND_OVER, LOCK, SYNCHRONISATION ->
                ofTarget.totalWithinNs(toNs - 1, toNs) > 0 ? 2 * graph.makespanNs() : 0;
            case LAUNCH ->
                gone.getOrDefault(graph.track(graph.from(arc)), Intervals.EMPTY)
                        .totalWithinNs(toNs - Math.max(0, graph.lagNs(arc)), toNs);
            default -> 0;
        };
    }
}
