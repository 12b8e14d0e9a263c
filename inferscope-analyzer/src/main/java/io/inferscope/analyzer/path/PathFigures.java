package io.inferscope.analyzer.path;

import io.inferscope.analyzer.activity.RowMeanings;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.BlameAmounts;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.graph.ArcKind;
import io.inferscope.analyzer.graph.DependencyGraph;
import io.inferscope.analyzer.model.FigureTables;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.PathTables.ClassTime;
import io.inferscope.analyzer.model.PathTables.LineTime;
import io.inferscope.analyzer.model.PathTables.PathPiece;
import io.inferscope.analyzer.model.PathTables.TrackTime;
import io.inferscope.analyzer.model.PathTables.WorkTime;
import io.inferscope.analyzer.model.TableNotes;
import io.inferscope.analyzer.model.TableNotes.PathSize;
import io.inferscope.analyzer.model.TableRows;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The critical path in figures. */
public final class PathFigures implements CriticalPath.Sink {
    private static final int LARGEST = 30;
    private static final int LONGEST = 10;

    private final Analysis analysis;
    private final Timeline timeline;
    private final RowMeanings meanings;
    private final DependencyGraph graph;
    private final int[] arcs;
    private final BlameAmounts amounts = new BlameAmounts();
    private final List<PathPiece> longest = new ArrayList<>();
    private final long[] onPathNs;

    private final PathPieceJoiner runs;

    PathFigures(Analysis analysis, DependencyGraph graph, int[] arcs) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.graph = graph;
        this.arcs = arcs;
        this.onPathNs = new long[timeline.tracks().size()];
        this.meanings = analysis.classifier().meanings();
        this.runs = new PathPieceJoiner(graph.timeNs(DependencyGraph.ROOT), this::endRun);
        amounts.beginGap();
    }

    @Override
    public void take(int track, int meaning, long startNs, long endNs, long ns) {
        amounts.add(BlameAmounts.ONE_GROUP, track, meaning, meanings, ns, 1);
        if (track >= 0) {
            onPathNs[track] += ns;
        }
        runs.take(track, meaning, startNs, endNs, ns);
    }

    private void endRun(int track, int meaning, long startNs, long endNs) {
        if (longest.size() < LONGEST || longest.get(LONGEST - 1).durationNs() < endNs - startNs) {
            longest.add(piece(analysis, track, meaning, startNs, endNs));
            longest.sort(Order.comparingLong(PathPiece::durationNs).reversed().thenComparingLong(PathPiece::startNs));
            if (longest.size() > LONGEST) {
                longest.remove(LONGEST);
            }
        }
    }

    /** Returns the line of a table for adjacent pieces of the path with one meaning. */
    static PathPiece piece(Analysis analysis, int track, int meaning, long startNs, long endNs) {
        RowMeanings meanings = analysis.classifier().meanings();
        int name = meanings.name(meaning);
        return new PathPiece(
                startNs,
                endNs,
                meanings.cause(meaning),
                label(analysis, track),
                name < 0 ? "" : analysis.timeline().text(name),
                analysis.classifier().place(meanings.place(meaning)));
    }

    /** Returns the tables of the critical path, and its size; empty if there is none. */
    public FigureTables tables() {
        runs.end();
        if (graph.makespanNs() <= 0) {
            return new TableRows();
        }
        PathSize size = new PathSize(
                graph.makespanNs(),
                graph.makespanNs() - graph.replayNs(new long[graph.arcCount()]),
                graph.nodeCount(),
                graph.arcCount());
        return new TableRows()
                .with(PathTables.CLASSES, classes())
                .with(PathTables.WORK, work())
                .with(PathTables.LINES, lines())
                .with(PathTables.PIECES, longest)
                .with(PathTables.TRACKS, tracks())
                .with(new TableNotes("", null, 0, size));
    }

    private List<ClassTime> classes() {
        Map<LedgerClass, Long> byClass = new EnumMap<>(LedgerClass.class);
        amounts.all().forEach(a -> byClass.merge(a.cause(), a.ns(), Long::sum));
        List<ClassTime> classes = new ArrayList<>();
        byClass.forEach((ledgerClass, ns) -> classes.add(new ClassTime(ledgerClass, ns)));
        classes.sort(Order.comparingLong(ClassTime::ns).reversed().thenComparing(ClassTime::ledgerClass));
        return classes;
    }

    private List<WorkTime> work() {
        List<WorkTime> work = new ArrayList<>();
        for (Amount amount : amounts.all()) {
            work.add(new WorkTime(
                    amount.cause(),
                    label(amount.thread()),
                    amount.activity() < 0 ? "" : timeline.text(amount.activity()),
                    analysis.classifier().place(amount.place()),
                    amount.ns(),
                    amount.pieces()));
        }
        work.sort(Order.comparingLong(WorkTime::ns)
                .reversed()
                .thenComparing(WorkTime::cause)
                .thenComparing(WorkTime::track)
                .thenComparing(WorkTime::activity)
                .thenComparing(WorkTime::where));
        return work.subList(0, Math.min(LARGEST, work.size()));
    }

    private List<LineTime> lines() {
        Map<String, LineTime> byLine = new HashMap<>();
        List<Amount> all = new ArrayList<>(amounts.all());
        all.sort(Order.comparingLong(Amount::ns).reversed().thenComparing(Amount::cause));
        for (Amount amount : all) {
            String where = analysis.classifier().place(amount.place());
            if (!where.isEmpty()) {
                byLine.merge(
                        where,
                        new LineTime(where, amount.cause(), amount.ns()),
                        (a, b) -> new LineTime(where, a.largest(), a.ns() + b.ns()));
            }
        }
        return byLine.values().stream()
                .sorted(Order.comparingLong(LineTime::ns).reversed().thenComparing(LineTime::where))
                .limit(LARGEST)
                .toList();
    }

    /** One line per thread or stream that is on the path or could come onto it. */
    private List<TrackTime> tracks() {
        long[] tightest = new long[onPathNs.length];
        Arrays.fill(tightest, Long.MAX_VALUE);
        long[] slacks = graph.slacksNs();
        boolean[] onPath = new boolean[slacks.length];
        for (int arc : arcs) {
            onPath[arc] = true;
        }
        for (int arc = 0; arc < slacks.length; arc++) {
            boolean own = graph.kind(arc) == ArcKind.PROGRAM || graph.kind(arc) == ArcKind.OPERATION;
            int track = graph.track(graph.to(arc));
            if (own && !onPath[arc] && track >= 0 && graph.lagNs(arc) > 0) {
                tightest[track] = Math.min(tightest[track], slacks[arc]);
            }
        }
        List<TrackTime> tracks = new ArrayList<>();
        for (int track = 0; track < onPathNs.length; track++) {
            if (onPathNs[track] > 0 || tightest[track] < Long.MAX_VALUE) {
                tracks.add(new TrackTime(
                        label(track), onPathNs[track], tightest[track] == Long.MAX_VALUE ? null : tightest[track]));
            }
        }
        tracks.sort(Order.comparingLong(TrackTime::onPathNs)
                .reversed()
                .thenComparing(TrackTime::slackNs, Comparator.nullsFirst(Comparator.naturalOrder()))
                .thenComparing(TrackTime::track));
        return tracks.subList(0, Math.min(LARGEST, tracks.size()));
    }

    private String label(int track) {
        return label(analysis, track);
    }

    private static String label(Analysis analysis, int track) {
        if (track < 0) {
            return "";
        }
        Timeline timeline = analysis.timeline();
        Track own = timeline.tracks().get(track);
        return own.kind() == TrackKind.STREAM
                ? "device " + timeline.tracks().get(own.parent()).key() + " stream " + own.key()
                : Threads.labelInProcess(timeline, track, analysis.subjectThread());
    }
}
