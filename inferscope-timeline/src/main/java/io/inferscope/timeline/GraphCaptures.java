package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Captures of CUDA and HIP graphs: a thread's launch calls between begin and end of a capture that launched no
 * operation.
 *
 * <pre>
 *   thread  [begin] [launch] [launch] [copy] [launch] [end]
 *                   captured captured   |    captured
 *   stream                            [copy]
 * </pre>
 */
public final class GraphCaptures {
    private static final String BEGIN = "StreamBeginCapture";
    private static final String END = "StreamEndCapture";

    /**
     * The captures of a recording.
     *
     * @param captures the calls of each capture in their order, the captures in the order of their first calls' starts;
     *     with those of other recordings, whose rows are on tracks of their own
     * @param calls the captured calls of the recording itself; not to be changed
     */
    public record Found(List<int[]> captures, BitSet calls) {
        /** Returns whether a call of the recording itself was captured. */
        public boolean contains(int call) {
            return calls.get(call);
        }

        /** Returns how many calls of the recording itself were captured. */
        public int count() {
            return calls.cardinality();
        }
    }

    private final Timeline timeline;
    private final BitSet launching = new BitSet();

    private final BitSet begins = new BitSet();

    private final BitSet ends = new BitSet();

    private final BitSet launches = new BitSet();

    /** Prepares the search in a timeline. */
    public GraphCaptures(Timeline timeline) {
        this.timeline = timeline;
        for (int name = 0; name < timeline.nameCount(); name++) {
            String text = timeline.text(name);
            begins.set(name, text.contains(BEGIN));
            ends.set(name, text.contains(END));
            launches.set(name, LaunchCalls.contains(text));
        }
        timeline.links().launches().map(timeline.links()::fromRow).forEach(launching::set);
    }

    /** Returns whether a timeline holds captures. For recordings without captures, this is the only cost. */
    public static boolean areIn(Timeline timeline) {
        return timeline.names().anyMatch(name -> name.contains(BEGIN));
    }

    /** Returns all captures of a timeline. */
    public static Found in(Timeline timeline) {
        Found found = new Found(new ArrayList<>(), new BitSet());
        if (areIn(timeline)) {
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

    public boolean isBegin(int row) {
        return begins.get(timeline.nameId(row)) && timeline.kind(row).isApiCall();
    }

    public boolean isEnd(int row) {
        return ends.get(timeline.nameId(row)) && timeline.kind(row).isApiCall();
    }

    /** Returns whether a row is a call that submits work. */
    public boolean isLaunch(int row) {
        return launches.get(timeline.nameId(row)) && timeline.kind(row).isApiCall();
    }

    /** Returns whether an operation is recorded that a call launched. */
    public boolean hasOperation(int call) {
        return launching.get(call);
    }

    /** Returns the calls of each capture on a track, in their order; captures without calls are left out. */
    public List<int[]> on(Track track) {
        List<int[]> captures = new ArrayList<>();
        int[] open = new int[64];
        int size = -1;
        for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
            if (isBegin(row)) {
                size = 0;
            } else if (size >= 0 && isEnd(row)) {
                if (size > 0) {
                    captures.add(Arrays.copyOf(open, size));
                }
                size = -1;
            } else if (size >= 0 && isLaunch(row) && !hasOperation(row)) {
                open = size == open.length ? Arrays.copyOf(open, 2 * size) : open;
                open[size++] = row;
            }
        }
        return captures;
    }
}
