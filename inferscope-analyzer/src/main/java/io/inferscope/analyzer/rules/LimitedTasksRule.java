package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reports tasks that wait for their turn at a limit of their own program while the event loop has nothing to do. Basis
 * and threshold: docs/rules/limited-tasks.md.
 */
final class LimitedTasksRule extends Rule {
    static final String ID = "limited-tasks";

    /** The probe's mark after a wait of a loop: python/inferscope/hooks/socket_hooks.py. */
    static final String LIMIT = "event loop limit";

    /** Fewer tasks on average are one task, with some doubt. */
    private static final double FEW = 1.5;

    private static final List<LedgerClass> WAITS =
            List.of(LedgerClass.WAIT_SOCKET, LedgerClass.WAIT_TIMER, LedgerClass.WAIT_UNKNOWN);

    @Override
    public Verdict evaluate(Analysis analysis) {
        int track = analysis.subjectThread();
        Map<Limit, Waits> limits = track < 0 ? Map.of() : limits(analysis, track);
        if (limits.isEmpty()) {
            return new Verdict.NotApplicable(
                    "no task of an event loop was seen to wait for a lock, a semaphore or room");
        }
        Map.Entry<Limit, Waits> most = limits.entrySet().stream()
                .max(Order.<Map.Entry<Limit, Waits>>comparingLong(limit -> limit.getValue().ns)
                        .thenComparing(Order.comparing(limit -> limit.getKey().at)))
                .orElseThrow();
        Ledger ledger = HostShare.wall(analysis);
        long costNs = Math.min(most.getValue().ns, HostShare.ns(ledger, WAITS));
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("tasks wait for a limit during " + ledger.shareOfPart(costNs));
        }
        return Verdict.found(finding(analysis, ledger, most.getKey(), most.getValue(), costNs));
    }

    private FindingBuilder finding(Analysis analysis, Ledger ledger, Limit limit, Waits waits, long costNs) {
        boolean isQueue = limit.kind.endsWith("Queue");
        double tasks = waits.taskNs / waits.ns;
        FindingBuilder finding = finding(ledger, costNs)
                .measure(
                        "tasks",
                        tasks < FEW
                                ? "a task waits for"
                                : String.format(Locale.ROOT, "%.1f tasks on average wait for", tasks))
                .measure("limit", (isQueue ? "room in a `" : "a turn at a `") + limit.kind + "` of the program")
                .place("tasks wait", limit.at, costNs, 1);
        if (!HostShare.timePlaces(finding, analysis, WAITS)) {
            HostShare.sampledLines(finding, analysis, WAITS);
        }
        return finding.causes(WAITS)
                .advice(isQueue ? "limited-tasks.queue" : "limited-tasks.turns", analysis)
                .noGain("how much more could be done at once is not recorded");
    }

    /** Returns which limits tasks of the thread's loop waited for in the judged part. */
    private static Map<Limit, Waits> limits(Analysis analysis, int track) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judgedHostStretch();
        Map<Limit, Waits> limits = new HashMap<>();
        for (int row : analysis.rows(RowKind.INSTANT)) {
            boolean counts = timeline.track(row) == track
                    && timeline.startNs(row) >= part.startNs()
                    && timeline.startNs(row) <= part.endNs()
                    && timeline.name(row).equals(LIMIT);
            Map<String, ?> detail = counts ? JsonValues.ofDetail(timeline, row) : Map.of();
            if (detail.get("ns") instanceof Number ns
                    && ns.longValue() >= 0
                    && detail.get("tasks") instanceof Number tasks
                    && detail.get("kind") instanceof String kind
                    && detail.get("at") instanceof String at) {
                limits.computeIfAbsent(new Limit(kind, at), limit -> new Waits())
                        .add(ns.longValue(), tasks.longValue());
            }
        }
        return limits;
    }

    /**
     * A lock, semaphore or queue.
     *
     * @param kind its class
     * @param at the line that waits
     */
    private record Limit(String kind, String at) {}

    /** The loop's waits during which tasks waited for a limit. */
    private static final class Waits {
        private long ns;
        private double taskNs;

        void add(long waitNs, long tasks) {
            ns += waitNs;
            taskNs += (double) waitNs * tasks;
        }
    }
}
