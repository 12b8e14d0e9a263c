package io.inferscope.shapes;

import io.inferscope.analyzer.model.Units;
import io.inferscope.shapes.ShapeReport.LogFigures;
import io.inferscope.shapes.log.ShapeLogStats;
import io.inferscope.shapes.log.ShapeSummary;
import io.inferscope.shapes.log.ShapeSummary.Ending;
import io.inferscope.timeline.text.ShellText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Collects the warnings of a shape report: what limits the trust in its figures. */
final class ReportWarnings {
    /** Number of a recorder's problems that are named. */
    private static final int PROBLEMS = 5;

    private ReportWarnings() {}

    static List<String> of(ShapeCollection all, List<LogFigures> logs) {
        List<String> cautions = new ArrayList<>();
        for (LogFigures log : logs) {
            damage(log, cautions);
        }
        for (LogTally log : all.logs()) {
            ending(log, cautions);
            unseen(all, log, cautions);
            if (log.callCount() > log.rowCount()) {
                cautions.add(
                        log.name()
                                + ": repeated calls are not in the log, only their number: phases and forward passes count all of them at the first call.");
            }
            long beyond = IntStream.range(0, all.signatures().operationCount())
                    .mapToLong(log::beyond)
                    .sum();
            if (beyond > 0) {
                cautions.add(
                        log.name() + ": the log has more than "
                                + Units.count(all.signatures().size())
                                + " different signatures. " + Units.count(beyond)
                                + " calls with further signatures count only by operator, and are missing from shapes, elements, FLOPs, bytes and phases. Use --filter-op to read fewer operators.");
            }
            if (log.rowCount() >= all.maxEntries()) {
                cautions.add(log.name() + ": only its first " + Units.count(all.maxEntries())
                        + " calls were read (--max-entries).");
            }
        }
        if (all.passes().isCut()) {
            cautions.add("Only the first " + Units.count(Passes.LIMIT) + " forward passes are counted one by one.");
        }
        return cautions;
    }

    /** Adds warnings about calls that are missing according to the recorder. */
    private static void ending(LogTally log, List<String> cautions) {
        ShapeSummary summary = log.summary();
        if (summary == null) {
            return;
        }
        Ending ending = summary.ending();
        if (!ending.rest().isEmpty()) {
            cautions.add(log.name() + ": its last part is still in " + ending.rest()
                    + ". If the process that recorded it has ended: inferscope shapes recover "
                    + ShellText.file(ending.rest()) + ".");
        } else if (!ending.complete()) {
            cautions.add(log.name() + ": the process was killed while it recorded; the log has everything up to then.");
        }
        if (ending.lost() > 0) {
            cautions.add(log.name() + ": " + Units.count(ending.lost())
                    + " operators are missing because the disk is full; free space on it.");
        }
        ending.problems().entrySet().stream()
                .limit(PROBLEMS)
                .forEach(problem -> cautions.add(log.name() + ": the recorder met a problem: " + problem.getKey() + " ("
                        + Units.count(problem.getValue()) + " times)."));
    }

    /** Operators that ran where a recorder cannot see them. */
    private static void unseen(ShapeCollection all, LogTally log, List<String> cautions) {
        for (int marker = 0; marker < all.markers().size(); marker++) {
            long count = log.markers(marker);
            String name = all.markers().get(marker);
            if (count > 0 && name.equals("GRAPH_REPLAY")) {
                cautions.add(log.name() + ": " + Units.count(count)
                        + " replays of CUDA graphs; the operators inside count once, at the capture." + replays(log));
            } else if (count > 0 && name.equals("COMPILED_CALL")) {
                cautions.add(log.name() + ": " + Units.count(count)
                        + " calls of compiled code; the operators inside are not in the log.");
            }
        }
    }

    /** Returns a warning about replays that are not fully known, empty if there are none. */
    private static String replays(LogTally log) {
        Graphs graphs = log.graphs();
        if (graphs == null) {
            return " A log that leaves out repeated calls does not say which graphs they replay.";
        }
        return (graphs.unknown() > 0
                        ? " " + Units.count(graphs.unknown()) + " replay graphs whose capture is not in the log."
                        : "")
                + (graphs.isCut()
                        ? " The table of replays lacks some operators: there are too many graphs to count all."
                        : "");
    }

    private static void damage(LogFigures log, List<String> cautions) {
        ShapeLogStats stats = log.stats();
        if (stats.malformedLines() > 0) {
            cautions.add(log.name() + ": " + Units.count(stats.malformedLines())
                    + (stats.malformedLines() == 1
                            ? " invalid line is left out: "
                            : " invalid lines are left out; the first is ")
                    + stats.malformed().get(0).text() + ".");
        }
        if (!stats.damage().isEmpty()) {
            cautions.add(log.name() + ": the log is " + stats.damage() + " after " + Units.count(stats.bytes())
                    + " bytes; what comes before is used.");
        }
        if (log.totals().calls() == 0) {
            cautions.add(log.name() + ": 0 operators"
                    + (log.leftOut() > 0
                            ? " pass the filter."
                            : ". With tensor parallelism the operators run in worker processes: record those"
                                    + " (docs/shapes.md)."));
        }
        if (!log.summary().isEmpty() && !SummaryCheck.isFine(log.summary())) {
            cautions.add(log.name() + ", its summary: " + log.summary() + ".");
        }
    }
}
