package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.timeline.GraphCaptures;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Launch calls that were captured into a graph: in the recording itself, and in others, whose rows are on tracks of
 * their own.
 */
public final class CapturedCalls {
    private final List<int[]> captures = new ArrayList<>();
    private final BitSet calls = new BitSet();

    private CapturedCalls() {}

    public static CapturedCalls of(Analysis analysis) {
        return analysis.once(CapturedCalls.class, CapturedCalls::find);
    }

    private static CapturedCalls find(Analysis analysis) {
        CapturedCalls found = new CapturedCalls();
        if (GraphCaptures.areIn(analysis.timeline())) {
            Timeline timeline = analysis.timeline();
            GraphCaptures captures = new GraphCaptures(timeline);
            for (Track track : timeline.tracks()) {
                List<int[]> onTrack = captures.on(track);
                found.captures.addAll(onTrack);
                if (track.kind() != TrackKind.CAPTURE) {
                    onTrack.forEach(calls -> Arrays.stream(calls).forEach(found.calls::set));
                }
            }
            found.captures.sort(Order.comparingLong(calls -> timeline.startNs(calls[0])));
        }
        return found;
    }

    /** Returns the calls of each capture in their order, the captures in the order of their first calls' starts. */
    List<int[]> captures() {
        return captures;
    }

    /** Returns whether a call of the recording itself was captured. */
    public boolean contains(int call) {
        return calls.get(call);
    }

    /** Returns how many calls of the recording itself were captured. */
    public int count() {
        return calls.cardinality();
    }
}
