package io.inferscope.timeline.merge;

import io.inferscope.timeline.LaunchCalls;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What a recording shows of graphs: which it captured, which it replayed, what it launched besides. Reads each row once. */
final class GraphUse {
    static final String BEGIN = "StreamBeginCapture";
    static final String END = "StreamEndCapture";

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

        void call(String name) {
            operation(
                    name.contains("Memcpy")
                            ? RowKind.MEMCPY_OTHER
                            : name.contains("Memset") ? RowKind.MEMSET : RowKind.KERNEL);
        }

        Size size() {
            return new Size(kernels, copies, fills);
        }

        int total() {
            return kernels + copies + fills;
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
        BitSet launching = use.links();
        BitSet launches = new BitSet();
        for (int name = 0; name < use.timeline.nameCount(); name++) {
            launches.set(name, LaunchCalls.contains(use.timeline.text(name)));
        }
        for (Track track : use.timeline.tracks()) {
            use.rows(track, launching, launches);
        }
        return use;
    }

    /** Finds the replays; returns the calls that launched an operation. */
    private BitSet links() {
        Links links = timeline.links();
        BitSet launching = new BitSet();
        Map<Part, Counts> replays = new HashMap<>();
        for (int link = 0; link < links.count(); link++) {
            int call = links.fromRow(link);
            RowKind kind = timeline.kind(links.toRow(link));
            if (links.kind(link) == LinkKind.LAUNCH) {
                launching.set(call);
            }
            if ((links.kind(link) == LinkKind.LAUNCH || links.kind(link) == LinkKind.GRAPH_REPLAY)
                    && timeline.kind(call) == RowKind.GRAPH_LAUNCH
                    && kind.isDeviceOperation()) {
                int device =
                        timeline.tracks().get(timeline.track(links.toRow(link))).parent();
                replays.computeIfAbsent(new Part(call, device), part -> new Counts())
                        .operation(kind);
            }
        }
        replays.forEach((part, counts) -> add(replayed, timeline.track(part.launch), counts));
        return launching;
    }

    private void add(Map<String, Set<Size>> sizes, int thread, Counts counts) {
        int process = timeline.tracks().get(thread).parent();
        if (process >= 0) {
            sizes.computeIfAbsent(timeline.tracks().get(process).key(), key -> new HashSet<>())
                    .add(counts.size());
        }
    }

    private void rows(Track track, BitSet launching, BitSet launches) {
        Counts open = null;
        for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
            RowKind kind = timeline.kind(row);
            operations += kind.isDeviceOperation() ? 1 : 0;
            replays |= kind == RowKind.GRAPH_LAUNCH;
            if (!kind.isApiCall()) {
                continue;
            }
            String name = timeline.name(row);
            if (name.contains(BEGIN)) {
                open = new Counts();
            } else if (open != null && name.contains(END)) {
                if (open.total() > 0) {
                    add(captured, track.id(), open);
                    capturedCalls += open.total();
                }
                open = null;
            } else if (launches.get(timeline.nameId(row))) {
                launchCalls++;
                if (open != null && !launching.get(row)) {
                    open.call(name);
                }
            }
        }
    }

    /** Returns whether the recording holds captures, replays nothing, and launches next to nothing else. */
    boolean isOfCaptures() {
        long launched = Math.max(operations, launchCalls - capturedCalls);
        return !captured.isEmpty() && !replays && launched <= MOST_LAUNCHED * capturedCalls;
    }

    /** Returns whether the recording replays a graph of as many operations as one that another recording of the process captured at another time. */
    boolean mayReplay(GraphUse captures) {
        return !recording.isOtherRankThan(captures.recording)
                && !overlaps(captures)
                && replayed.entrySet().stream()
                        .anyMatch(process -> captures.captured.getOrDefault(process.getKey(), Set.of()).stream()
                                .anyMatch(size -> process.getValue().stream().anyMatch(size::fits)));
    }

    private boolean overlaps(GraphUse other) {
        return isAnchored && other.isAnchored && startUnixNs < other.endUnixNs && other.startUnixNs < endUnixNs;
    }
}
