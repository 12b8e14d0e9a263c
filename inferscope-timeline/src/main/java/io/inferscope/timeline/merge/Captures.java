package io.inferscope.timeline.merge;

import io.inferscope.timeline.GraphCaptures;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Recordings of the captures of graphs that other recordings replay: engines capture at their start, and are recorded
 * again later, while they serve requests.
 *
 * <pre>
 *   capture   thread  [ aten::mm      ][ aten::relu   ]      launches next to nothing
 *                       [launch]         [launch]
 *   replay    thread                                     [graph launch]
 *             device                                        [k1    ][k2 ]
 * </pre>
 *
 * Of such a recording the captured calls are kept, with the operators, modules and scopes around them, on tracks of the
 * kind {@link TrackKind#CAPTURE}: they tell what the replay is made of. Nothing else of it belongs to the time that is
 * explained. A process id alone joins nothing, because the programs of different containers may have the same: a graph
 * of as many operations must be replayed.
 */
public final class Captures {
    /** By recording: read once, because folders may hold many. */
    private final Map<Recording, GraphUse> uses = new HashMap<>();

    private Captures() {}

    /** Finds recordings of captures among the given ones. */
    public static Captures among(List<Recording> all) {
        return among(all, GraphUse::of);
    }

    static Captures among(List<Recording> all, Function<Recording, GraphUse> reader) {
        Captures captures = new Captures();
        if (all.size() > 1 && all.stream().anyMatch(recording -> GraphCaptures.areIn(recording.timeline()))) {
            all.forEach(recording -> captures.uses.put(recording, reader.apply(recording)));
        }
        return captures;
    }

    /** Returns the recordings that hold hardly anything but captures that another of the recordings may replay. */
    public List<Recording> replayedIn(List<Recording> all) {
        List<GraphUse> others =
                all.stream().map(uses::get).filter(Objects::nonNull).toList();
        List<Recording> found = new ArrayList<>();
        for (Recording recording : all) {
            GraphUse use = uses.get(recording);
            if (use != null
                    && recording.givenOffsetNs() == null
                    && use.isOfCaptures()
                    && others.stream().anyMatch(other -> other.mayReplay(use))) {
                found.add(recording);
            }
        }
        return found;
    }

    /**
     * Returns the skipped recordings that captured what a run replays and did not capture itself.
     * Engines also warm up while they capture, so such a recording may have launched as much as it captured.
     */
    public List<Recording> replayedBy(List<Recording> run, List<Recording> aside) {
        List<GraphUse> replaying =
                run.stream().map(uses::get).filter(Objects::nonNull).toList();
        return aside.stream()
                .filter(recording -> uses.containsKey(recording)
                        && replaying.stream().anyMatch(other -> other.mayReplay(uses.get(recording), replaying)))
                .toList();
    }

    /**
     * Returns a timeline with what recordings captured. A capture only has to come before its replay: if its time is
     * not known, or later, it is put before all other rows, in the order of the recordings.
     *
     * @param run the recordings of which the timeline is made
     */
    public static Timeline addedTo(Timeline timeline, List<Recording> run, List<Recording> captures) {
        if (captures.isEmpty()) {
            return timeline;
        }
        TimelineBuilder builder = new TimelineBuilder();
        builder.describe(timeline);
        new RowCopy(timeline, builder, new ClockOffset(0, 0, "", false), "").copy(new BitSet(), row -> row);
        List<Recording> moved = new ArrayList<>();
        List<String> names = new ArrayList<>();
        Recording whole = new Recording("", timeline, null);
        long firstNs = whole.startNs();
        for (Recording capture : captures) {
            long offsetNs = capture.timeline().originUnixNs() - timeline.originUnixNs();
            boolean dated = whole.isAnchored() && capture.isAnchored();
            boolean later = dated && capture.startNs() + offsetNs > whole.startNs();
            names.add(capture.name() + (later ? " (recorded later)" : ""));
            if (dated && capture.endNs() + offsetNs <= whole.startNs()) {
                add(capture.timeline(), builder, offsetNs, TimelineMerge.prefix(capture, run));
                firstNs = Math.min(firstNs, capture.startNs() + offsetNs);
            } else {
                moved.add(capture);
            }
        }
        Collections.reverse(moved);
        for (Recording capture : moved) {
            long offsetNs = firstNs - capture.endNs();
            add(capture.timeline(), builder, offsetNs, TimelineMerge.prefix(capture, run));
            firstNs = capture.startNs() + offsetNs;
        }
        builder.property(TimelineInfo.CAPTURES, String.join(", ", names));
        return builder.build(timeline.info().format());
    }

    private static void add(Timeline timeline, TimelineBuilder builder, long offsetNs, String prefix) {
        GraphCaptures graphs = new GraphCaptures(timeline);
        RowCopy copy = RowCopy.ofRowsAlone(timeline, builder, offsetNs);
        for (Track track : timeline.tracks()) {
            long beganNs = Long.MAX_VALUE;
            long endedNs = Long.MIN_VALUE;
            for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                if (graphs.isBegin(row)) {
                    beganNs = Math.min(beganNs, timeline.startNs(row));
                } else if (graphs.isEnd(row)) {
                    endedNs = Math.max(endedNs, timeline.endNs(row));
                }
            }
            if (beganNs < endedNs && track.kind() == TrackKind.THREAD && track.parent() >= 0) {
                String process = prefix + timeline.tracks().get(track.parent()).key();
                int to = builder.track(
                        TrackKind.CAPTURE,
                        builder.track(TrackKind.PROCESS, -1, process),
                        track.key() + " captured before");
                for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                    if (timeline.startNs(row) < endedNs
                            && timeline.endNs(row) > beganNs
                            && !graphs.hasOperation(row)
                            && tellsOrigins(timeline, row)) {
                        copy.copy(row, to, 0); // Its correlation id may mean another operation of the run.
                    }
                }
            }
        }
    }

    private static boolean tellsOrigins(Timeline timeline, int row) {
        RowKind kind = timeline.kind(row);
        return kind.isApiCall()
                || kind == RowKind.OPERATOR
                || kind == RowKind.ANNOTATION
                || (kind == RowKind.PYTHON_FUNCTION && timeline.name(row).startsWith("nn.Module"));
    }
}
