package io.inferscope.timeline.merge;

import io.inferscope.timeline.GraphCaptures;
import io.inferscope.timeline.LaunchCalls;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a recording shows of graphs: which it captured, which it replayed, what it launched besides. */
final class GraphUse {
    /**
     * A recording of captures launches at most this share of what it captures: buffers are filled before a capture. The
     * recorded capture of vLLM launches 10 operations and captures 421.
     */
    private static final double MOST_LAUNCHED = 0.1;

    /** How many operations of a kind a graph has. */
    private record Size(int kernels, int copies, int fills) {
        /** A recorder may have lost one operation. */
        boolean fits(Size other) {
            return Math.abs(kernels - other.kernels) + Math.abs(copies - other.copies) + Math.abs(fills - other.fills)
                    <= 1;
        }
    }

    private static final class Counts {
        private int kernels;
        private int copies;
        private int fills;

        void operation(RowKind kind) {
            if (kind.isMemcpy()) {
                copies++;
            } else if (kind == RowKind.MEMSET) {
                fills++;
            } else {
                kernels++;
            }
        }

        Size size() {
            return new Size(kernels, copies, fills);
        }
    }

    /** One device's part of a replay. */
    private record Part(int launch, int device) {}

    private final Recording recording;
    private final Timeline timeline;
    private final boolean isAnchored;
    private final long startUnixNs;
    private final long endUnixNs;

    /** By process. */
    private final Map<String, Set<Size>> captured = new HashMap<>();

    /** By process. */
    private final Map<String, Set<Size>> replayed = new HashMap<>();

    private boolean replays;
    private long capturedCalls;
    private long launchCalls;
    private long operations;

    private GraphUse(Recording recording) {
        this.recording = recording;
        this.timeline = recording.timeline();
        isAnchored = recording.isAnchored();
        startUnixNs = recording.startUnixNs();
        endUnixNs = recording.endUnixNs();
    }

    static GraphUse of(Recording recording) {
        GraphUse use = new GraphUse(recording);
        use.findReplays();
        GraphCaptures captures = new GraphCaptures(use.timeline);
        for (Track track : use.timeline.tracks()) {
            use.read(track, captures);
        }
        return use;
    }

    private void findReplays() {
        Links links = timeline.links();
        Map<Part, Counts> parts = new HashMap<>();
        for (int link = 0; link < links.count(); link++) {
            int call = links.fromRow(link);
            RowKind kind = timeline.kind(links.toRow(link));
            if ((links.kind(link) == LinkKind.LAUNCH || links.kind(link) == LinkKind.GRAPH_REPLAY)
                    && timeline.kind(call) == RowKind.GRAPH_LAUNCH
                    && kind.isDeviceOperation()) {
                int device =
                        timeline.tracks().get(timeline.track(links.toRow(link))).parent();
                parts.computeIfAbsent(new Part(call, device), part -> new Counts())
                        .operation(kind);
            }
        }
        parts.forEach((part, counts) -> add(replayed, timeline.track(part.launch), counts));
    }

    private void add(Map<String, Set<Size>> sizes, int thread, Counts counts) {
        int process = timeline.tracks().get(thread).parent();
        if (process >= 0) {
            sizes.computeIfAbsent(timeline.tracks().get(process).key(), key -> new HashSet<>())
                    .add(counts.size());
        }
    }

    /** Counts a track's operations, launch calls and captured calls, and finds its captures. */
    private void read(Track track, GraphCaptures captures) {
        for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
            RowKind kind = timeline.kind(row);
            operations += kind.isDeviceOperation() ? 1 : 0;
            replays |= kind == RowKind.GRAPH_LAUNCH;
            launchCalls += captures.isLaunch(row) ? 1 : 0;
        }
        for (int[] calls : captures.on(track)) {
            Counts counts = new Counts();
            for (int call : calls) {
                counts.operation(LaunchCalls.operation(timeline.name(call)));
            }
            add(captured, track.id(), counts);
            capturedCalls += calls.length;
        }
    }

    /** Returns whether the recording holds captures, replays nothing, and launches next to nothing else. */
    boolean isOfCaptures() {
        long launched = Math.max(operations, launchCalls - capturedCalls);
        return !captured.isEmpty() && !replays && launched <= MOST_LAUNCHED * capturedCalls;
    }

    /**
     * Returns whether the recording replays a graph of as many operations as one that another recording of the process
     * captured at another time.
     */
    boolean mayReplay(GraphUse captures) {
        return mayReplay(captures, List.of());
    }

    /**
     * Returns the same for a recording of a run, without the graphs that a recording of the run captured: a program
     * that is started again captures its graphs again.
     */
    boolean mayReplay(GraphUse captures, List<GraphUse> run) {
        return !recording.isOtherRankThan(captures.recording)
                && !overlaps(captures)
                && replayed.entrySet().stream()
                        .anyMatch(process -> process.getValue().stream()
                                .filter(size -> captures.captured(process.getKey(), size))
                                .anyMatch(size -> run.stream()
                                        .filter(own -> !recording.isOtherRankThan(own.recording))
                                        .noneMatch(own -> own.captured(process.getKey(), size))));
    }

    private boolean captured(String process, Size size) {
        return captured.getOrDefault(process, Set.of()).stream().anyMatch(size::fits);
    }

    private boolean overlaps(GraphUse other) {
        return isAnchored && other.isAnchored && startUnixNs < other.endUnixNs && other.startUnixNs < endUnixNs;
    }
}
