package io.inferscope.analyzer.model;

import static io.inferscope.analyzer.model.ColumnKind.CLASS;
import static io.inferscope.analyzer.model.ColumnKind.COUNT;
import static io.inferscope.analyzer.model.ColumnKind.NAME;
import static io.inferscope.analyzer.model.ColumnKind.NAME_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NS;
import static io.inferscope.analyzer.model.ColumnKind.NS_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.POINT;
import static io.inferscope.analyzer.model.ColumnKind.SHARE;

import org.jspecify.annotations.Nullable;

/** Rows about the critical path: the longest chain of dependencies through the window, over host threads and streams. */
public final class PathTables {
    private PathTables() {}

    public static final TableId<ClassTime> CLASSES = new TableId<>("criticalPath.classes", ClassTime.class);

    public record ClassTime(LedgerClass ledgerClass, long ns) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("id", CLASS, "Class", ledgerClass).doc("the class of the ledger");
            to.shown(NAME, "Id", ledgerClass.id());
            to.add("ns", NS, "Time", ns).doc("path time");
            to.shown(SHARE, "Share", ns);
        }
    }

    public static final TableId<WorkTime> WORK = new TableId<>("criticalPath.work", WorkTime.class);

    /** Path time with one cause in one activity at one place. */
    public record WorkTime(LedgerClass cause, String track, String activity, String where, long ns, long pieces)
            implements Row {
        @Override
        public void columns(Columns to) {
            work(to, cause, track, activity, where);
            to.add("ns", NS, "Time", ns).doc("path time");
            to.shown(SHARE, "Share", ns);
            to.add("pieces", COUNT, "Pieces", pieces).doc("how many pieces of the path it is put together from");
        }
    }

    public static final TableId<LineTime> LINES = new TableId<>("criticalPath.lines", LineTime.class);

    /** Path time at one line of the program's own code, including device work launched there. */
    public record LineTime(String where, LedgerClass largest, long ns) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("where", NAME, "Where", where)
                    .doc("a line of the program's own code; device work launched there is included");
            to.add("cause", CLASS, "Mostly", largest).doc("the class of the ledger of most of it");
            to.add("ns", NS, "Time", ns).doc("path time");
            to.shown(SHARE, "Share", ns);
        }
    }

    public static final TableId<PathPiece> PIECES = new TableId<>("criticalPath.longest", PathPiece.class);

    /** A stretch of the path on one thread or stream, with one cause, activity and place. */
    public record PathPiece(long startNs, long endNs, LedgerClass cause, String track, String activity, String where)
            implements Row {
        /** Returns its length in ns. */
        public long durationNs() {
            return endNs - startNs;
        }

        @Override
        public void columns(Columns to) {
            to.shown(POINT, "At", startNs);
            to.shown(NS, "Length", durationNs());
            to.add("startNs", POINT, "", startNs).doc("when it starts");
            to.add("endNs", POINT, "", endNs).doc("when it ends");
            work(to, cause, track, activity, where);
        }
    }

    public static final TableId<TrackTime> TRACKS = new TableId<>("criticalPath.tracks", TrackTime.class);

    /** A thread or stream. */
    public record TrackTime(
            String track, long onPathNs, @Nullable Long slackNs) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("track", NAME, "Track", track).doc("the thread or stream");
            to.add("ns", NS, "On the path", onPathNs).doc("path time on it");
            to.shown(SHARE, "Share", onPathNs);
            to.add("slackNs", NS_OR_NONE, "Slack", slackNs)
                    .doc(
                            "how much longer its tightest piece off the path could take without delaying the end; null where there is none");
        }
    }

    private static void work(Columns to, LedgerClass cause, String track, String activity, String where) {
        to.add("cause", CLASS, "Cause", cause).doc("the class of the ledger");
        to.add("track", NAME_OR_NONE, "Track", track).doc("the thread or stream");
        to.add("activity", NAME_OR_NONE, "Activity", activity)
                .doc("innermost scope, operator, function or call, or kernel");
        to.add("where", NAME_OR_NONE, "Where", where)
                .doc("`file:line function` of the innermost user frame; for a kernel, of its launch");
    }
}
