package io.inferscope.analyzer.model;

import java.util.List;

/**
 * The critical path: the longest chain of dependencies through the window, over host threads and streams.
 *
 * @param pathNs its length: that of the window
 * @param replayErrorNs length of the window minus what a replay of the unchanged dependencies takes
 * @param instants how many instants of threads and streams were looked at
 * @param dependencies how many dependencies between them
 * @param classes path time by ledger class, largest first
 * @param work path time by what was done and where, largest first, cut to the largest
 * @param lines path time by line of the program's own code, largest first, cut to the largest
 * @param longest the longest pieces, longest first
 * @param tracks the threads and streams, most path time first
 */
public record PathTables(
        long pathNs,
        long replayErrorNs,
        long instants,
        long dependencies,
        List<ClassTime> classes,
        List<WorkTime> work,
        List<LineTime> lines,
        List<PathPiece> longest,
        List<TrackTime> tracks) {
    /** Nothing of that is known. */
    public static final PathTables NONE =
            new PathTables(0, 0, 0, 0, List.of(), List.of(), List.of(), List.of(), List.of());

    /** Copies the lists. */
    public PathTables {
        classes = List.copyOf(classes);
        work = List.copyOf(work);
        lines = List.copyOf(lines);
        longest = List.copyOf(longest);
        tracks = List.copyOf(tracks);
    }

    /** Returns whether there is a path. */
    public boolean isKnown() {
        return !classes.isEmpty();
    }

    /** Path time of one class. */
    public record ClassTime(LedgerClass ledgerClass, long ns) {}

    /**
     * Path time with one cause in one activity at one place.
     *
     * @param track the thread or stream
     * @param activity innermost scope, operator, function or call, or kernel; empty when not recorded
     * @param where {@code file:line function} of the innermost user frame, of a kernel that of its launch; empty when not recorded
     * @param pieces how many pieces of the path it is put together from
     */
    public record WorkTime(LedgerClass cause, String track, String activity, String where, long ns, long pieces) {}

    /** Path time at one line of the program's own code, device work that was launched there included. */
    public record LineTime(String where, LedgerClass largest, long ns) {}

    /**
     * A stretch of the path on one thread or stream, with one cause, activity and place.
     *
     * @param startNs its start on the axis
     * @param endNs its end
     */
    public record PathPiece(long startNs, long endNs, LedgerClass cause, String track, String activity, String where) {
        /** Returns its length in ns. */
        public long durationNs() {
            return endNs - startNs;
        }
    }

    /**
     * A thread or stream.
     *
     * @param onPathNs path time on it
     * @param slackNs by how much what it does off the path could take longer before the whole does, at its tightest; -1 when all of it is on
     *     the path or nothing waits for it
     */
    public record TrackTime(String track, long onPathNs, long slackNs) {}
}
