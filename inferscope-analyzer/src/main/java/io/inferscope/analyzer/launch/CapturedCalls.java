package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Launch calls that were captured into a graph instead of launching an operation: calls on the capturing thread between
 * begin and end of a capture, without a linked operation. The capture may be in another recording,
 * whose rows are on tracks of their own.
 */
public final class CapturedCalls {
    private static final String BEGIN = "StreamBeginCapture";

    private final List<int[]> captures = new ArrayList<>();
    private final BitSet calls = new BitSet();

    private CapturedCalls() {}

    /** Returns the captured calls of a recording. */
    public static CapturedCalls of(Analysis analysis) {
        return analysis.once(CapturedCalls.class, CapturedCalls::find);
    }

    private static CapturedCalls find(Analysis analysis) {
        CapturedCalls found = new CapturedCalls();
        Timeline timeline = analysis.timeline();
        if (IntStream.range(0, timeline.nameCount())
                .noneMatch(name -> timeline.text(name).contains(BEGIN))) {
            return found;
        }
        BitSet launching = new BitSet();
        for (DeviceActivity any : analysis.devices()) {
            for (int i = 0; i < any.operationCount(); i++) {
                if (any.launch(i) >= 0) {
                    launching.set(any.launch(i));
                }
            }
        }
        found.find(analysis, analysis.apiCalls(), launching);
        found.calls.or(found.captured());
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.CAPTURE) {
                found.find(analysis, apiCalls(timeline, track), launching);
            }
        }
        return found;
    }

    private static int[] apiCalls(Timeline timeline, Track track) {
        return IntStream.range(timeline.firstRow(track.id()), timeline.endRow(track.id()))
                .filter(row -> timeline.kind(row).isApiCall())
                .toArray();
    }

    private void find(Analysis analysis, int[] apiCalls, BitSet launching) {
        Timeline timeline = analysis.timeline();
        int[] open = new int[64];
        int size = -1;
        int track = -1;
        for (int call : apiCalls) {
            String name = timeline.name(call);
            if (timeline.track(call) != track || name.contains(BEGIN)) {
                track = timeline.track(call);
                size = name.contains(BEGIN) ? 0 : -1;
            } else if (size >= 0 && name.contains("StreamEndCapture")) {
                captures.add(Arrays.copyOf(open, size));
                size = -1;
            } else if (size >= 0 && analysis.isLaunch(call) && !launching.get(call)) {
                open = size == open.length ? Arrays.copyOf(open, 2 * size) : open;
                open[size++] = call;
            }
        }
    }

    private BitSet captured() {
        BitSet all = new BitSet();
        captures.forEach(capture -> Arrays.stream(capture).forEach(all::set));
        return all;
    }

    /** Returns the calls of each capture, in their order; those in other recordings last. */
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
