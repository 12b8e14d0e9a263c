package io.inferscope.analyzer.shapes;

import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.shapes.ShapeReport.LogFigures;
import io.inferscope.timeline.shapes.ShapeLogStats;
import java.util.ArrayList;
import java.util.List;

/** What a reader must know before trusting the figures of a shape report. */
final class Cautions {
    private Cautions() {}

    static List<String> of(ShapeCollection all, List<LogFigures> logs) {
        List<String> cautions = new ArrayList<>();
        for (LogFigures log : logs) {
            damage(log, cautions);
        }
        for (LogTally log : all.logs()) {
            unseen(all, log, cautions);
            if (log.callCount() > log.rowCount()) {
                cautions.add(
                        log.name() + ": repeated calls are not in the log, only their number: phases and forward passes"
                                + " count them where they came first.");
            }
            long beyond = 0;
            for (int operation = 0; operation < all.signatures().operationCount(); operation++) {
                beyond += log.beyond(operation);
            }
            if (beyond > 0) {
                cautions.add(log.name() + ": " + Units.count(beyond) + " calls have shapes beyond the "
                        + Units.count(all.signatures().size())
                        + " different ones that are told apart. They count by operator only: shapes, elements, FLOPs, bytes"
                        + " and phases are without them; --filter-op makes room.");
            }
            if (log.rowCount() >= all.maxEntries()) {
                cautions.add(log.name() + ": only its first " + Units.count(all.maxEntries())
                        + " calls were read (--max-entries).");
            }
        }
        if (all.passes().isCut()) {
            cautions.add("Forward passes beyond the first " + Units.count(Passes.LIMIT) + " are not told apart.");
        }
        return cautions;
    }

    /** Operators that ran where a recorder cannot see them. */
    private static void unseen(ShapeCollection all, LogTally log, List<String> cautions) {
        for (int marker = 0; marker < all.markers().size(); marker++) {
            long count = log.markers(marker);
            String name = all.markers().get(marker).name();
            if (count > 0 && name.equals("GRAPH_REPLAY")) {
                cautions.add(log.name() + ": " + Units.count(count)
                        + " replays of CUDA graphs; the operators inside count once, at the capture.");
            } else if (count > 0 && name.equals("COMPILED_CALL")) {
                cautions.add(log.name() + ": " + Units.count(count)
                        + " calls of compiled code; the operators inside are not in the log.");
            }
        }
    }

    private static void damage(LogFigures log, List<String> cautions) {
        ShapeLogStats stats = log.stats();
        if (stats.malformedLines() > 0) {
            cautions.add(log.name() + ": " + Units.count(stats.malformedLines())
                    + (stats.malformedLines() == 1 ? " line is" : " lines are") + " no row and left out, first "
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
        if (!log.summary().isEmpty() && !log.summary().equals(SummaryCheck.AGREES)) {
            cautions.add(log.name() + ", its summary: " + log.summary() + ".");
        }
    }
}
