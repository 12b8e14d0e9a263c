package io.inferscope.analyzer.graph;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Builds the dependency graph of a timeline: which instants of threads and streams depend on which. Definitions:
 * docs/critical-path.md.
 *
 * <pre>
 *   thread   ...[launch p ]...[synchronise     e ]...        p, e: instants of the thread; from call to e it only waits
 *                      \                      /
 *   stream              [ kernel ][ kernel   ]
 *
 *   giver    ..... g ....                                    g: instant of the giving
 *                   \
 *   taker    [ waits   w ]....                               w: instant of the receipt
 * </pre>
 */
public final class TimelineGraph {
    private final Timeline timeline;
    private final GraphBuilder graph;
    private final Operations operations;
    private final IntPredicate synchronising;
    private final int subject;
    private final ThreadPoints points = new ThreadPoints();
    private final BlockedTime blocked;
    private final GilWaits gil;

    /** By taker's row: the giver's row plus one. Empty without hand-overs. */
    private int[] givers = {};

    /** By row: whether it gives something. Empty without hand-overs. */
    private boolean[] gives = {};

    /** By row of a launch or of a giver: its instant. */
    private final int[] instants;

    /** By row of a device-side wait: the awaited stream plus one. Empty without such waits. */
    private int[] waitedStreams = {};

    /** Instants of takers and of returns from waits. Their arcs are added when all instants exist. */
    private int[] lateNodes = new int[64];

    private int[] lateSources = new int[64];
    private byte[] lateKinds = new byte[64];
    private int lateCount;

    private TimelineGraph(Timeline timeline, long startNs, long endNs, int subject, IntPredicate synchronising) {
        this.timeline = timeline;
        this.graph = new GraphBuilder(startNs, endNs);
        this.operations = new Operations(timeline);
        this.synchronising = synchronising;
        this.subject = subject;
        this.blocked = new BlockedTime(timeline);
        this.gil = new GilWaits(timeline);
        this.instants = new int[timeline.rowCount()];
        readLinks();
    }

    /**
     * Returns the graph of a window.
     *
     * @param subject the thread whose end, like the end of the device work, ends the window; -1 for none
     * @param synchronising whether a call or a Python function, by its row, waits for a device
     */
    public static DependencyGraph of(
            Timeline timeline, long startNs, long endNs, int subject, IntPredicate synchronising) {
        return new TimelineGraph(timeline, startNs, endNs, subject, synchronising).build();
    }

    private void readLinks() {
        Links links = timeline.links();
        for (int link = 0; link < links.count(); link++) {
            int from = links.fromRow(link);
            int to = links.toRow(link);
            switch (links.kind(link)) {
                case HAND_OVER, LOCK -> {
                    if (timeline.track(from) != timeline.track(to)) {
                        givers = givers.length == 0 ? new int[timeline.rowCount()] : givers;
                        gives = gives.length == 0 ? new boolean[timeline.rowCount()] : gives;
                        boolean later = givers[to] == 0 || timeline.endNs(from) > timeline.endNs(givers[to] - 1);
                        givers[to] = later ? from + 1 : givers[to];
                        gives[from] = true;
                    }
                }
                case LAUNCH -> {
                    // A wait for a whole device is recorded on a stream without work.
                    if (timeline.kind(to) == RowKind.DEVICE_SYNC && operations.isOn(timeline.track(to))) {
                        waitedStreams = waitedStreams.length == 0 ? new int[timeline.rowCount()] : waitedStreams;
                        waitedStreams[from] = timeline.track(to) + 1;
                    }
                }
                default -> {}
            }
        }
    }

    private DependencyGraph build() {
        int firstOperation = graph.nodeCount();
        for (int i = 0; i < operations.count(); i++) {
            int row = operations.row(i);
            int begin = graph.node(operations.track(i), operations.startNs(i), row);
            graph.whole(ArcKind.OPERATION, begin, graph.node(operations.track(i), operations.endNs(i), row));
        }
        int[] ends = new int[timeline.tracks().size() + 1];
        Arrays.fill(ends, -1);
        timeline.tracks(TrackKind.THREAD).forEach(thread -> ends[thread.id()] = thread(thread.id()));
        drawLate(firstOperation);
        new StreamArcs(timeline, graph, operations, instants, firstOperation).draw();
        return graph.build(sink(ends, firstOperation));
    }

    /**
     * Adds the instants of a thread and the arcs between them. Returns the last instant if the thread's end counts,
     * otherwise -1.
     */
    private int thread(int track) {
        points.clear();
        blocked.clear();
        long lastNs = findPoints(track);
        boolean launches = false;
        int[] order = StableTimeSort.order(points.timesNs, points.count);
        int last = DependencyGraph.ROOT;
        for (int at : order) {
            int row = points.rows[at];
            int node = graph.node(track, points.timesNs[at], row);
            ArcKind kind = points.kinds[at];
            long doneNs = graph.timeNs(node) - graph.timeNs(last) - waitedNs(at, last, node);
            graph.arc(ArcKind.PROGRAM, last, node, Math.max(0, doneNs));
            if (kind == ArcKind.PROGRAM) {
                instants[row] = node + 1;
                launches |= submits(row);
            } else {
                late(node, points.sources[at], kind);
            }
            last = node;
        }
        if (track != subject && !launches) {
            return -1;
        }
        int end = graph.node(track, Math.max(lastNs, graph.timeNs(last)), -1);
        graph.whole(ArcKind.PROGRAM, last, end);
        return end;
    }

    /**
     * Returns how long, between the previous instant of a thread and this one, the thread only waited for this
     * instant's source.
     */
    private long waitedNs(int at, int last, int node) {
        long lastNs = graph.timeNs(last);
        long timeNs = graph.timeNs(node);
        if (points.kinds[at] == ArcKind.PROGRAM) {
            return 0;
        }
        if (points.kinds[at] == ArcKind.GIL) {
            return gil.waitedFromNs(points.rows[at], lastNs);
        }
        if (points.waitsFromNs[at] < timeNs) {
            return timeNs - Math.max(points.waitsFromNs[at], lastNs);
        }
        if (points.kinds[at] == ArcKind.SYNCHRONISATION) {
            return 0;
        }
        // The item was given before the wait: a started thread begins here; another thread may have polled until there
        // was something to take.
        boolean starts = last == DependencyGraph.ROOT && graph.track(node) != subject && isStart(points.rows[at]);
        return starts ? timeNs - lastNs : blocked.within(lastNs, timeline.endNs(points.sources[at]));
    }

    private boolean isStart(int taker) {
        return timeline.attribute(taker, Attribute.HAND_OVER) == HandOver.START.ordinal();
    }

    /** Returns when the last row of a thread ends. */
    private long findPoints(int track) {
        long lastNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            RowKind kind = timeline.kind(row);
            if (timeline.parent(row) < 0) { // Rows inside another one end with it at the latest.
                lastNs = Math.max(lastNs, timeline.endNs(row));
            }
            if (submits(row)) {
                call(row);
            } else if (kind == RowKind.PYTHON_FUNCTION) {
                function(row);
            } else if (kind == RowKind.HAND_OVER && givers.length > 0) {
                handOver(row);
            } else if (kind == RowKind.THREAD_STATE) {
                blocked.add(row);
                if (gil.holder(row) >= 0) {
                    points.add(timeline.endNs(row), row, ArcKind.GIL, row, ThreadPoints.NO_WAIT);
                }
            }
        }
        for (int wait : gil.heldBy(track)) {
            points.plain(gil.heldUntilNs(wait), wait);
        }
        return lastNs;
    }

    /** Returns whether a row is a call, or stands for the one that it made, as operators of ONNX Runtime do. */
    private boolean submits(int row) {
        RowKind kind = timeline.kind(row);
        return kind.isApiCall() || (kind == RowKind.OPERATOR && operations.firstOf(row) >= 0);
    }

    private void call(int row) {
        int first = operations.firstOf(row);
        boolean copies = first >= 0 && timeline.kind(operations.row(first)).isMemcpy();
        boolean copiesInside = copies && operations.endNs(first) <= timeline.endNs(row);
        long startNs = timeline.startNs(row);
        long submittedNs = startNs;
        if (first >= 0) {
            // A call that lasts as long as its copy submitted it at its start if the stream was busy then.
            boolean queued = copiesInside && operations.endBeforeNs(first) > startNs;
            submittedNs =
                    queued ? startNs : Math.max(startNs, Math.min(timeline.endNs(row), operations.startNs(first)));
            points.plain(submittedNs, row);
        }
        if (operations.count() > 0 && (copies || synchronising.test(row))) {
            int stream = waitedStreams.length == 0 ? -1 : waitedStreams[row] - 1;
            int operation = copiesInside ? first : synchronising.test(row) ? waitedFor(row, stream) : -1;
            if (operation >= 0) {
                long waitFromNs =
                        copiesInside ? submittedNs : copies ? Math.max(startNs, operations.startNs(first)) : startNs;
                points.add(operations.endNs(operation), row, ArcKind.SYNCHRONISATION, operation, waitFromNs);
            }
        }
    }

    /**
     * Adds the return from a function that waits for a device without a recorded call, such as
     * {@code block_until_ready} of JAX, whose other threads may submit the work meanwhile.
     */
    private void function(int row) {
        if (operations.count() == 0 || !synchronising.test(row) || callsInside(row)) {
            return;
        }
        int operation = operations.lastEndedIn(row);
        if (operation >= 0) {
            points.add(operations.endNs(operation), row, ArcKind.SYNCHRONISATION, operation, timeline.startNs(row));
        }
    }

    private boolean callsInside(int row) {
        int end = timeline.endRow(timeline.track(row));
        for (int inner = row + 1; inner < end && timeline.startNs(inner) < timeline.endNs(row); inner++) {
            if (timeline.kind(inner).isApiCall() && synchronising.test(inner)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the operation that a synchronising call waited for: the last one before its event was recorded, if that
     * is known.
     */
    private int waitedFor(int row, int stream) {
        int event = operations.ofRow(timeline.links().eventGiver(row));
        if (event >= 0 && operations.endNs(event) <= timeline.endNs(row)) {
            return operations.endNs(event) > timeline.startNs(row) ? event : -1;
        }
        return operations.waitedFor(row, stream);
    }

    private void handOver(int row) {
        int giver = givers[row] - 1;
        if (giver >= 0) {
            boolean inTime = timeline.endNs(giver) > timeline.startNs(row);
            ArcKind kind = timeline.kind(giver) == RowKind.HAND_OVER && isLock(row) ? ArcKind.LOCK : ArcKind.HAND_OVER;
            // A started thread or process begins at the start of its row: what it gives during the row comes after
            // that.
            long atNs = !inTime && isStart(row) ? timeline.startNs(row) : timeline.endNs(row);
            points.add(atNs, row, kind, giver, inTime ? timeline.startNs(row) : ThreadPoints.NO_WAIT);
        }
        if (gives[row]) {
            points.plain(timeline.endNs(row), row);
        }
    }

    private boolean isLock(int taker) {
        return timeline.attribute(taker, Attribute.HAND_OVER) == HandOver.LOCK.ordinal();
    }

    private void late(int node, int source, ArcKind kind) {
        if (lateCount == lateNodes.length) {
            lateNodes = StableTimeSort.grown(lateNodes);
            lateSources = StableTimeSort.grown(lateSources);
            lateKinds = Arrays.copyOf(lateKinds, 2 * lateCount);
        }
        lateNodes[lateCount] = node;
        lateSources[lateCount] = source;
        lateKinds[lateCount++] = (byte) kind.ordinal();
    }

    private void drawLate(int firstOperation) {
        for (int i = 0; i < lateCount; i++) {
            ArcKind kind = ArcKind.values()[lateKinds[i]];
            int source = kind == ArcKind.SYNCHRONISATION
                    ? firstOperation + 2 * lateSources[i] + 1
                    : instants[lateSources[i]] - 1;
            if (source >= 0) {
                graph.arc(kind, source, lateNodes[i], kind == ArcKind.GIL ? gil.restNs(lateSources[i]) : 0);
            }
        }
    }

    /** Adds the end of the window, which depends on the subject, the launching threads and all streams. */
    private int sink(int[] ends, int firstOperation) {
        int sink = graph.node(-1, Long.MAX_VALUE, -1);
        for (int i = 0; i < operations.count(); i++) {
            boolean lastOfStream = i + 1 == operations.count() || operations.track(i + 1) != operations.track(i);
            if (lastOfStream) {
                graph.arc(ArcKind.END, firstOperation + 2 * i + 1, sink, 0);
            }
        }
        // If several end together with the window, the subject decides.
        if (subject >= 0 && ends[subject] >= 0) {
            graph.arc(ArcKind.END, ends[subject], sink, 0);
        }
        for (int track = 0; track < ends.length; track++) {
            if (ends[track] >= 0 && track != subject) {
                graph.arc(ArcKind.END, ends[track], sink, 0);
            }
        }
        graph.arc(ArcKind.END, DependencyGraph.ROOT, sink, 0);
        return sink;
    }
}
