package io.inferscope.shapes;

import io.inferscope.shapes.log.ShapeSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Compares the counts of a recorder's summary with those of its log. */
final class SummaryCheck {
    /** The text if nothing differs. */
    static final String AGREES = "agrees";

    private static final String NOT_COMPARED = "not compared: ";
    private static final int NAMED = 3;

    private SummaryCheck() {}

    /** Returns whether a result of {@link #of} means that nothing differs. */
    static boolean isFine(String said) {
        return said.equals(AGREES) || said.startsWith(NOT_COMPARED);
    }

    /**
     * Returns {@link #AGREES} or the differences in words; empty when there is no summary or only part of the log was
     * read.
     */
    static String of(@Nullable ShapeSummary summary, LogTally log, ShapeCollection all, long operators) {
        if (summary == null) {
            return "";
        }
        if (!summary.problem().isEmpty()) {
            return "unusable: " + summary.problem();
        }
        if (!summary.ending().rest().isEmpty()) {
            return NOT_COMPARED + "part of the log is not written yet";
        }
        if (!all.filter().isAll() || log.rowCount() >= all.maxEntries()) {
            return NOT_COMPARED + "part of the log was read";
        }
        List<String> differences = new ArrayList<>();
        long rows = log.rowCount();
        long total = summary.totalOperations();
        boolean withSkipped = summary.deduped() && total == rows + Math.max(0, summary.dedupeSkipped());
        if (total >= 0 && total != rows && !withSkipped) {
            differences.add("it counts " + total + " operators, the log has " + rows);
        }
        long calls = rows + summary.dedupeSkipped();
        if (summary.deduped() && summary.dedupeSkipped() >= 0 && log.callCount() != rows && log.callCount() != calls) {
            differences.add("it counts " + calls + " calls, the log has " + log.callCount());
        }
        if (summary.uniqueOperations() >= 0 && summary.uniqueOperations() != operators) {
            differences.add("it counts " + summary.uniqueOperations() + " by name, the log has " + operators);
        }
        if (summary.forwardPasses() >= 0 && log.passCount() > summary.forwardPasses()) {
            differences.add("it counts " + summary.forwardPasses() + " passes, the log has " + log.passCount());
        }
        if (!summary.deduped()) {
            counts(summary, log, all, differences);
        }
        return differences.isEmpty() ? AGREES : String.join("; ", differences);
    }

    private static void counts(ShapeSummary summary, LogTally log, ShapeCollection all, List<String> differences) {
        if (summary.operationCounts().isEmpty()) {
            return;
        }
        Map<String, Long> counted = new TreeMap<>();
        summary.operationCounts().keySet().forEach(name -> counted.put(name, 0L));
        for (int operation = 0; operation < all.signatures().operationCount(); operation++) {
            counted.put(all.signatures().operationName(operation), log.callsOf(operation));
        }
        int others = 0;
        for (Map.Entry<String, Long> entry : counted.entrySet()) {
            long said = summary.operationCounts().getOrDefault(entry.getKey(), 0L);
            if (said != entry.getValue() && others++ < NAMED) {
                differences.add(entry.getKey() + ": it counts " + said + ", the log has " + entry.getValue());
            }
        }
        if (others > NAMED) {
            differences.add((others - NAMED) + " more operators differ");
        }
    }
}
