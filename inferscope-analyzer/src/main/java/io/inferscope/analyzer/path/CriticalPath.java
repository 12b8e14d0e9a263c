package io.inferscope.analyzer.path;

import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.activity.RowMeanings;
import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.graph.ArcKind;
import io.inferscope.analyzer.graph.DependencyGraph;
import io.inferscope.analyzer.graph.TimelineGraph;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.PathTables.PathPiece;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks along the critical path and assigns a cause to every nanosecond of it. Definitions: docs/critical-path.md.
 *
 * <p>On a thread, the cause is the thread's activity and state, as in the ledger; on a stream, it is the operation. The
 * time between a launch and its operation is launch latency up to the device's smallest latency, and wait after launch
 * beyond it.
 */
public final class CriticalPath {
    private final Analysis analysis;
    private final Timeline timeline;
    private final DependencyGraph graph;
    private final int[] arcs;
    private final HostPieces hostPieces;
    private final Lazy<PathFigures> figures;

    private CriticalPath(Analysis analysis) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.hostPieces = new HostPieces();
        this.graph = TimelineGraph.of(
                timeline,
                analysis.window().startNs(),
                analysis.window().endNs(),
                analysis.subjectThread(),
                row -> waits(analysis, row));
        this.arcs = graph.criticalPath();
        this.figures = new Lazy<>(this::collect);
    }

    private static boolean waits(Analysis analysis, int row) {
        return analysis.timeline().kind(row) == RowKind.PYTHON_FUNCTION
                ? analysis.classifier().classify(row) == LedgerClass.FRAMEWORK_SYNC_RETURN
                : analysis.isSynchronising(row);
    }

    /** Returns the dependencies of a timeline and the longest chain of them. */
    public static CriticalPath of(Analysis analysis) {
        return analysis.once(CriticalPath.class, CriticalPath::new);
    }

    public DependencyGraph graph() {
        return graph;
    }

    /** Returns the pieces of the path in the order of time; equal neighbours are joined. */
    public List<PathPiece> pieces() {
        List<PathPiece> pieces = new ArrayList<>();
        PathPieceJoiner runs = new PathPieceJoiner(
                graph.timeNs(DependencyGraph.ROOT),
                (track, meaning, startNs, endNs) ->
                        pieces.add(PathFigures.piece(analysis, track, meaning, startNs, endNs)));
        walk(runs);
        runs.end();
        return pieces;
    }

    /**
     * Returns the pieces for a picture: the same, or if there are more than {@code most}, about as many, of which those of
     * short intervals are put together by cause and place.
     */
    public List<PathPiece> overview(int most) {
        PathOverview overview = new PathOverview();
        PathPieceJoiner runs = new PathPieceJoiner(graph.timeNs(DependencyGraph.ROOT), overview);
        walk(runs);
        runs.end();
        List<PathPiece> pieces = new ArrayList<>();
        overview.show(
                most,
                (track, meaning, startNs, endNs) ->
                        pieces.add(PathFigures.piece(analysis, track, meaning, startNs, endNs)));
        return pieces;
    }

    /** Takes the pieces of the path, which sum to its length, earliest first. */
    interface Sink {
        /**
         * Takes a piece.
         *
         * @param track the thread or stream, -1 for none
         * @param meaning its class, the name of the row that describes it, and its place, by number ({@link RowMeanings})
         */
        void take(int track, int meaning, long startNs, long endNs, long ns);
    }

    public PathFigures figures() {
        return figures.get();
    }

    private PathFigures collect() {
        PathFigures collected = new PathFigures(analysis, graph, arcs);
        walk(collected);
        return collected;
    }

    void walk(Sink sink) {
        for (int i = 0; i < arcs.length; i++) {
            long lagNs = graph.lagNs(arcs[i]);
            long next = i + 1 < arcs.length ? graph.lagNs(arcs[i + 1]) : 0;
            // An operation that overlaps the next one of its stream is on the path up to that one's start.
            long endNs = graph.timeNs(graph.to(arcs[i]))
                    + (graph.kind(arcs[i]) == ArcKind.OPERATION ? Math.min(0, next) : 0);
            if (lagNs > 0) {
                step(arcs[i], graph.timeNs(graph.to(arcs[i])) - lagNs, endNs, sink);
            }
        }
    }

    /** Passes the pieces of the part {@code [startNs, endNs)} of an arc to {@code sink}. */
    void step(int arc, long startNs, long endNs, Sink sink) {
        int to = graph.to(arc);
        switch (graph.kind(arc)) {
            case PROGRAM -> {
                long fromNs = graph.timeNs(graph.from(arc));
                host(graph.track(to), fromNs, fromNs + graph.lagNs(arc), sink);
            }
            case OPERATION -> operation(graph.row(to), startNs, endNs, sink);
            case LAUNCH -> {
                int row = graph.row(graph.from(arc));
                long latencyNs = Math.min(endNs - startNs, latencyNs(row, graph.row(to)));
                device(to, LedgerClass.FRAMEWORK_LAUNCH_LATENCY, row, startNs, startNs + latencyNs, sink);
                device(to, LedgerClass.GPU_DEPENDENCY, row, startNs + latencyNs, endNs, sink);
            }
            case STREAM, EVENT -> device(to, waiting(graph.row(to)), -1, startNs, endNs, sink);
            case HAND_OVER, LOCK, GIL, SYNCHRONISATION -> host(graph.track(to), startNs, endNs, sink);
            case BEGIN -> device(to, LedgerClass.UNATTRIBUTED, -1, startNs, endNs, sink);
            case END -> {
                if (analysis.subjectThread() >= 0) {
                    host(analysis.subjectThread(), startNs, endNs, sink);
                } else {
                    device(to, LedgerClass.UNATTRIBUTED, -1, startNs, endNs, sink);
                }
            }
        }
    }

    private LedgerClass waiting(int operation) {
        return timeline.links().launchOf(operation) < 0 ? LedgerClass.UNATTRIBUTED : LedgerClass.GPU_DEPENDENCY;
    }

    /** The device's smallest latency minus the part that the call itself took. */
    private long latencyNs(int launch, int operation) {
        long insideNs = Math.min(timeline.endNs(launch), timeline.startNs(operation)) - timeline.startNs(launch);
        return Math.max(
                0,
                analysis.minLatencyNs(
                                timeline.tracks().get(timeline.track(operation)).parent())
                        - insideNs);
    }

    /** Passes the pieces of a thread's time to {@code sink}. */
    void host(int track, long fromNs, long toNs, Sink sink) {
        if (fromNs >= toNs) {
            return;
        }
        if (track < 0 || timeline.tracks().get(track).kind() != TrackKind.THREAD) {
            sink.take(track, RowMeanings.NOTHING, fromNs, toNs, toNs - fromNs);
            return;
        }
        hostPieces.to = sink;
        analysis.threads().explain(track, fromNs, toNs, hostPieces);
    }

    /** Turns pieces of a thread's time into pieces of the path. */
    private final class HostPieces implements ThreadActivity.PlainSink {
        private final RowMeanings meanings = analysis.classifier().meanings();
        private Sink to = (track, meaning, startNs, endNs, ns) -> {};

        @Override
        public void take(ThreadPiece piece) {
            int meaning = meaning(
                    piece.ledgerClass(),
                    piece.describingRow(),
                    analysis.classifier().placeOf(piece));
            to.take(piece.thread(), meaning, piece.fromNs(), piece.toNs(), piece.ns());
        }

        @Override
        public void takePlain(int thread, int row, long fromNs, long toNs) {
            to.take(thread, meanings.withoutOperator(meanings.of(row)), fromNs, toNs, toNs - fromNs);
        }
    }

    private int meaning(LedgerClass cause, int row, int place) {
        return analysis.classifier().meanings().number(cause, row < 0 ? -1 : timeline.nameId(row), place, -1);
    }

    private void operation(int row, long startNs, long endNs, Sink sink) {
        int launch = timeline.links().launchOf(row);
        int meaning = meaning(classOf(row), row, analysis.classifier().placeOf(launch));
        sink.take(timeline.track(row), meaning, startNs, endNs, endNs - startNs);
    }

    private void device(int node, LedgerClass cause, int row, long startNs, long endNs, Sink sink) {
        if (startNs < endNs) {
            int meaning = meaning(cause, row, analysis.classifier().placeOf(row));
            sink.take(graph.track(node), meaning, startNs, endNs, endNs - startNs);
        }
    }

    /** Returns the class of a device operation that no other operation hides. */
    LedgerClass classOf(int operation) {
        RowKind kind = timeline.kind(operation);
        return switch (kind) {
            case KERNEL ->
                analysis.headline().orElseThrow().isCommunication(operation)
                        ? LedgerClass.GPU_COMMUNICATION
                        : LedgerClass.GPU_COMPUTE;
            case MEMCPY_H2D -> LedgerClass.COPY_H2D;
            case MEMCPY_D2H -> LedgerClass.COPY_D2H;
            default -> LedgerClass.COPY_OTHER;
        };
    }
}
